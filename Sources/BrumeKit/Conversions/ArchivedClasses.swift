// The names under which nested classes are archived.
//
// Foundation on Linux can write only top-level classes into keyed archives: its
// `NSStringFromClass` stops the program for others. So each nested class answers `classForCoder`
// with a top-level stand-in, whose name is what the archive says, and reading maps the name back.
// The mapping is made when the program is loaded (`Sources/CBrumeKitLoad/load.c`), because an
// archive may be read before anything else of this module is touched. Where there is an
// Objective-C runtime none of this is needed.

import CBrumeKitLoad
import Foundation

final class ArchivedRecordZoneID: NSObject {}
final class ArchivedRecordID: NSObject {}
final class ArchivedReference: NSObject {}
final class ArchivedQueryCursor: NSObject {}
final class ArchivedZoneConfiguration: NSObject {}
final class ArchivedZoneOptions: NSObject {}
final class ArchivedNotificationInfo: NSObject {}
final class ArchivedNotificationID: NSObject {}
final class ArchivedShareMetadata: NSObject {}
final class ArchivedShareParticipant: NSObject {}
final class ArchivedLookupInfo: NSObject {}
final class ArchivedAccessRequester: NSObject {}
final class ArchivedBlockedIdentity: NSObject {}

/// Called once by the loader.
@_cdecl("brume_kit_register_archived_classes")
func registerArchivedClasses() {
  #if !canImport(ObjectiveC)
    let classes: [(AnyClass, AnyClass)] = [
      (CKRecordZone.ID.self, ArchivedRecordZoneID.self),
      (CKRecord.ID.self, ArchivedRecordID.self),
      (CKRecord.Reference.self, ArchivedReference.self),
      (CKQueryOperation.Cursor.self, ArchivedQueryCursor.self),
      (CKFetchRecordZoneChangesOperation.ZoneConfiguration.self, ArchivedZoneConfiguration.self),
      ((DeprecatedClasses.self as any OldClasses.Type).zoneOptions, ArchivedZoneOptions.self),
      (CKSubscription.NotificationInfo.self, ArchivedNotificationInfo.self),
      (CKNotification.ID.self, ArchivedNotificationID.self),
      (CKShare.Metadata.self, ArchivedShareMetadata.self),
      (CKShare.Participant.self, ArchivedShareParticipant.self),
      (CKUserIdentity.LookupInfo.self, ArchivedLookupInfo.self),
      (CKShare.AccessRequester.self, ArchivedAccessRequester.self),
      (CKShare.BlockedIdentity.self, ArchivedBlockedIdentity.self),
      (ArchivedText.self, ArchivedText.self),
    ]
    for (nested, archived): (AnyClass, AnyClass) in classes {
      NSKeyedUnarchiver.setClass(nested, forClassName: archivedName(archived))
    }
    for (name, known): (String, AnyClass) in appleNames {
      NSKeyedUnarchiver.setClass(known, forClassName: name)
    }
    // Where the class was before: archives of then are read.
    NSKeyedUnarchiver.setClass(CLLocation.self, forClassName: "BrumeKit.CLLocation")
  #endif
}

/// What `NSStringFromClass` answers for a top-level class. That itself cannot be asked while the program is
/// loaded: in a statically linked one CoreFoundation may not be ready yet.
func archivedName(_ archived: AnyClass) -> String { String(reflecting: archived) }
