// The names that Apple's API had before Swift 4.2. Apple's compiler answers that they were renamed;
// here they are only deprecated, so that old documents and old code can be tried as they are.

/// The name of ``CKRecordZone/ID`` before Swift 4.2.
@available(*, deprecated, renamed: "CKRecordZone.ID")
public typealias CKRecordZoneID = CKRecordZone.ID

/// The name of ``CKRecord/ID`` before Swift 4.2.
@available(*, deprecated, renamed: "CKRecord.ID")
public typealias CKRecordID = CKRecord.ID

/// The name of ``CKRecord/Reference`` before Swift 4.2.
@available(*, deprecated, renamed: "CKRecord.Reference")
public typealias CKReference = CKRecord.Reference

/// The name of ``CKOperation/Configuration`` before Swift 4.2.
@available(*, deprecated, renamed: "CKOperation.Configuration")
public typealias CKOperationConfiguration = CKOperation.Configuration

/// The name of ``CKQueryOperation/Cursor`` before Swift 4.2.
@available(*, deprecated, renamed: "CKQueryOperation.Cursor")
public typealias CKQueryCursor = CKQueryOperation.Cursor

/// The name of ``CKSubscription/NotificationInfo`` before Swift 4.2.
@available(*, deprecated, renamed: "CKSubscription.NotificationInfo")
public typealias CKNotificationInfo = CKSubscription.NotificationInfo

/// The name of ``CKNotification/ID`` before Swift 4.2.
@available(*, deprecated, renamed: "CKNotification.ID")
public typealias CKNotificationID = CKNotification.ID

/// The name of ``CKShare/Metadata`` before Swift 4.2.
@available(*, deprecated, renamed: "CKShare.Metadata")
public typealias CKShareMetadata = CKShare.Metadata

/// The name of ``CKShare/Participant`` before Swift 4.2.
@available(*, deprecated, renamed: "CKShare.Participant")
public typealias CKShareParticipant = CKShare.Participant

/// The name of ``CKUserIdentity/LookupInfo`` before Swift 4.2.
@available(*, deprecated, renamed: "CKUserIdentity.LookupInfo")
public typealias CKUserIdentityLookupInfo = CKUserIdentity.LookupInfo

/// The name of ``CKFetchRecordZoneChangesOperation/ZoneConfiguration`` before Swift 4.2.
@available(*, deprecated, renamed: "CKFetchRecordZoneChangesOperation.ZoneConfiguration")
public typealias CKFetchRecordZoneChangesConfiguration = CKFetchRecordZoneChangesOperation
  .ZoneConfiguration

/// The name of ``CKDatabase/Scope`` before Swift 4.2.
@available(*, deprecated, renamed: "CKDatabase.Scope")
public typealias CKDatabaseScope = CKDatabase.Scope

/// The name of ``CKError/Code`` before Swift 4.2.
@available(*, deprecated, renamed: "CKError.Code")
public typealias CKErrorCode = CKError.Code

/// The name of ``CKModifyRecordsOperation/RecordSavePolicy`` before Swift 4.2.
@available(*, deprecated, renamed: "CKModifyRecordsOperation.RecordSavePolicy")
public typealias CKRecordSavePolicy = CKModifyRecordsOperation.RecordSavePolicy

/// The name of ``CKRecord/ReferenceAction`` before Swift 4.2.
@available(*, deprecated, renamed: "CKRecord.ReferenceAction")
public typealias CKReferenceAction = CKRecord.ReferenceAction

/// The name of ``CKSubscription/SubscriptionType`` before Swift 4.2.
@available(*, deprecated, renamed: "CKSubscription.SubscriptionType")
public typealias CKSubscriptionType = CKSubscription.SubscriptionType

/// The name of ``CKNotification/NotificationType`` before Swift 4.2.
@available(*, deprecated, renamed: "CKNotification.NotificationType")
public typealias CKNotificationType = CKNotification.NotificationType

/// The name of ``CKQueryNotification/Reason`` before Swift 4.2.
@available(*, deprecated, renamed: "CKQueryNotification.Reason")
public typealias CKQueryNotificationReason = CKQueryNotification.Reason

/// The name of ``CKQuerySubscription/Options`` before Swift 4.2.
@available(*, deprecated, renamed: "CKQuerySubscription.Options")
public typealias CKQuerySubscriptionOptions = CKQuerySubscription.Options

/// The name of ``CKRecordZone/Capabilities`` before Swift 4.2.
@available(*, deprecated, renamed: "CKRecordZone.Capabilities")
public typealias CKRecordZoneCapabilities = CKRecordZone.Capabilities

/// The name of ``CKOperationGroup/TransferSize`` before Swift 4.2.
@available(*, deprecated, renamed: "CKOperationGroup.TransferSize")
public typealias CKOperationGroupTransferSize = CKOperationGroup.TransferSize

/// The name of ``CKShare/ParticipantAcceptanceStatus`` before Swift 4.2.
@available(*, deprecated, renamed: "CKShare.ParticipantAcceptanceStatus")
public typealias CKShareParticipantAcceptanceStatus = CKShare.ParticipantAcceptanceStatus

/// The name of ``CKShare/ParticipantPermission`` before Swift 4.2.
@available(*, deprecated, renamed: "CKShare.ParticipantPermission")
public typealias CKShareParticipantPermission = CKShare.ParticipantPermission

/// The name of ``CKShare/ParticipantRole`` before Swift 4.2.
@available(*, deprecated, renamed: "CKShare.ParticipantRole")
public typealias CKShareParticipantRole = CKShare.ParticipantRole

/// The name of ``CKRecord/SystemType/userRecord`` before Swift 4.2.
@available(*, deprecated, renamed: "CKRecord.SystemType.userRecord")
public let CKRecordTypeUserRecord = CKRecord.SystemType.userRecord

/// The name of ``CKRecord/SystemType/share`` before Swift 4.2.
@available(*, deprecated, renamed: "CKRecord.SystemType.share")
public let CKRecordTypeShare = CKRecord.SystemType.share

/// The name of ``CKRecord/SystemFieldKey/parent`` before Swift 4.2.
@available(*, deprecated, renamed: "CKRecord.SystemFieldKey.parent")
public let CKRecordParentKey = CKRecord.SystemFieldKey.parent

/// The name of ``CKRecord/SystemFieldKey/share`` before Swift 4.2.
@available(*, deprecated, renamed: "CKRecord.SystemFieldKey.share")
public let CKRecordShareKey = CKRecord.SystemFieldKey.share

/// The name of ``CKShare/SystemFieldKey/title`` before Swift 4.2.
@available(*, deprecated, renamed: "CKShare.SystemFieldKey.title")
public let CKShareTitleKey = CKShare.SystemFieldKey.title

/// The name of ``CKShare/SystemFieldKey/shareType`` before Swift 4.2.
@available(*, deprecated, renamed: "CKShare.SystemFieldKey.shareType")
public let CKShareTypeKey = CKShare.SystemFieldKey.shareType

/// The name of ``CKShare/SystemFieldKey/thumbnailImageData`` before Swift 4.2.
@available(*, deprecated, renamed: "CKShare.SystemFieldKey.thumbnailImageData")
public let CKShareThumbnailImageDataKey = CKShare.SystemFieldKey.thumbnailImageData

/// The name of ``CKRecordZone/ID/defaultZoneName`` before Swift 4.2.
@available(*, deprecated, renamed: "CKRecordZone.ID.defaultZoneName")
public let CKRecordZoneDefaultName = CKRecordZone.ID.defaultZoneName

/// The name of ``CKQueryOperation/maximumResults`` before Swift 4.2.
@available(*, deprecated, renamed: "CKQueryOperation.maximumResults")
public let CKQueryOperationMaximumResults = CKQueryOperation.maximumResults

/// The older name of ``CKContainer/ApplicationPermissions``.
@available(*, deprecated, renamed: "CKContainer.ApplicationPermissions")
public typealias CKContainer_Application_Permissions = CKContainer.ApplicationPermissions

/// The older name of ``CKContainer/ApplicationPermissionStatus``.
@available(*, deprecated, renamed: "CKContainer.ApplicationPermissionStatus")
public typealias CKContainer_Application_PermissionStatus = CKContainer.ApplicationPermissionStatus

/// The older name of ``CKContainer/ApplicationPermissionBlock``.
@available(*, deprecated, renamed: "CKContainer.ApplicationPermissionBlock")
public typealias CKContainer_Application_PermissionBlock = CKContainer.ApplicationPermissionBlock

/// The older name of ``CKShare/ParticipantAcceptanceStatus``.
@available(*, deprecated, renamed: "CKShare.ParticipantAcceptanceStatus")
public typealias CKShare_Participant_AcceptanceStatus = CKShare.ParticipantAcceptanceStatus

/// The older name of ``CKShare/ParticipantPermission``.
@available(*, deprecated, renamed: "CKShare.ParticipantPermission")
public typealias CKShare_Participant_Permission = CKShare.ParticipantPermission

/// The older name of ``CKShare/ParticipantRole``.
@available(*, deprecated, renamed: "CKShare.ParticipantRole")
public typealias CKShare_Participant_Role = CKShare.ParticipantRole

/// The older name of ``CKShare/ParticipantType``.
@available(*, deprecated, renamed: "CKShare.ParticipantType")
public typealias CKShare_Participant_ParticipantType = CKShare.ParticipantType
