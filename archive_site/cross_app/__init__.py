"""Code that spans apps: bundle, manifest, status, pages with data of two apps, account deletion, archive adoption."""
