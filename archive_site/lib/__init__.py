"""What the apps share: HTTP, locks, storage, clock, environment and texts; it imports no app."""
