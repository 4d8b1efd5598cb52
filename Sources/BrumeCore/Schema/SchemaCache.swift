struct SchemaCache: Sendable {}
