// The error domain and the keys of an error's user info, with the values that Apple's framework
// uses, so that stored or logged errors stay comparable.

/// The domain of every error that CloudKit reports.
public let CKErrorDomain = "CKErrorDomain"

/// The key of the per-item errors of a partial failure.
public let CKPartialErrorsByItemIDKey = "CKPartialErrors"

/// The key of the record that the client started from, in a conflict. Missing for a share from an archive that an
/// earlier version of Brume wrote.
public let CKRecordChangedErrorAncestorRecordKey = "AncestorRecord"

/// The key of the record as the server has it, in a conflict.
public let CKRecordChangedErrorServerRecordKey = "ServerRecord"

/// The key of the record that the client tried to save, in a conflict.
public let CKRecordChangedErrorClientRecordKey = "ClientRecord"

/// The key that says whether a zone is gone because its user reset end-to-end encrypted data.
public let CKErrorUserDidResetEncryptedDataKey = "CKUserDidResetEncryptedData"

/// The key of the number of seconds to wait before trying again.
public let CKErrorRetryAfterKey = "CKRetryAfter"
