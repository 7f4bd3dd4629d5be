"""What ``raven-2026`` measures: views of a text, families of features, similarities normalised by impostors."""
