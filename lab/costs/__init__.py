"""What each command costs on documents of growing size: processor time, and memory per process."""
