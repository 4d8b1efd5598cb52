"""Machines that look for what a caller gets and should not: docs/internals/security.md."""
