// The PostgreSQL engine will implement BrumeStorage here, on libpq (docs/decisions/0006-storage-libraries.md).
// There is nothing yet; the target exists so that the layering includes it from the start.
