"""What spans several apps: bundle, manifest, status, pages of two apps' data, account deletion, archive adoption."""
