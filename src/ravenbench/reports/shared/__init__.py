"""What all reports share: tables, figures, pages."""
