# The only place of the version: the package, the manifest and the User-Agent take it from here.
__version__ = "0.1.0"
