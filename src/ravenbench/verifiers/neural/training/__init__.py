"""What all neural verifiers share: the training loop, batches, devices, checkpoints."""
