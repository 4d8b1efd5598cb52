struct UsedSignatures: Sendable {}
