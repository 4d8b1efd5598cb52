// Numbers of ours that stand beside their code and not in `Limits`. Engines, clients and commands have sizes of steps,
// pauses and caches of their own, which change speed and no answer. In the rules and the server each is listed here with
// the reason why it is no limit; one more fails until it is listed, or in `Limits`.

import Foundation
import Testing

@Suite struct OwnNumbersTidy {
  private static let targets = [
    "BrumeCore", "BrumeWire", "BrumeServer", "BrumeNotifier", "BrumeDelivery", "BrumePush",
    "BrumeOpenID",
    "BrumeSchema", "BrumePredicate",
  ]
  private static let file = "a part of the form of a backup's file, which others read"
  private static let piece = "how much is handled at once, of something that has its own bound"
  private static let own = "nobody outside can reach it"

  /// By file and name.
  private static let listed: [String: String] = [
    "AssetSweeper.mostFailures": "the next pass asks again",
    "AccessPath.prefixBytes": "what a prefix has beyond it is evaluated, with the same answer",
    "PendingUploads.mostBytes": "it only keeps a sum from overflowing",
    "UsageFile.most": "it only keeps sums of a damaged file from overflowing",
    "PasswordHash.mostMemory": "hashes of ours need a quarter of it; it is for damaged ones",
    "ErrorReply.longestWait": "it only keeps clocks of clients from overflowing",
    "BackupContents.mostBytes": file, "BackupFrame.mostBytes": file, "BackupPage.bytes": file,
    "BackupPage.most": file,
    "BackupReport.mostNames": "a list for reading; the counts beside it are whole",
    "BackupChain.most": "of files that the operator names", "BackupAdmin.pieceBytes": piece,
    "OperationPlace.mostBytes": "only names that are refused bring an outcome to as much",
    "ChangeReads.plannedPages": "the others are read one by one, with the same answer",
    "StoreMove.page": piece, "Removals.few": piece, "Removals.atOnce": piece,
    "Removals.elementBytes": "an estimate; what all of them take is a limit",
    "ShareScope.mostBytes": "of shares that show nothing, and are read to see that",
    "SharedRoots.few": "beyond it the bound of cascades holds", "DeepCheckup.page": piece,
    "DamageRemoval.namedRows": "the command names all of them",
    "MailboxTail.page": piece, "LogBatch.page": piece, "ServedPart.page": piece,
    "ChannelUses.most": "beyond it a use is noted once more",
    "StoredBytes.page": piece,
    "StoredSizes.bytesAsOne": "a part of the limit of records that are looked at",
    "UserExport.page": piece, "UserExport.pieceBytes": piece, "StorageSampler.pause": own,
    "StorageSampler.rest": own,
    "StorageSampler.pages": "the next look goes on behind them",
    "DiskReserve.step": piece, "DiskReserve.bytes": own,
    "IncomingBody.drained": "of what an operator sends and is refused", "EventRoute.pause": own,
    "DeletionService.pause": own, "OperatorAuthentication.pause": "it only spares tries",
    "JSONBounds.marks": "beyond it a comparison takes the square of their number",
    "JSONBounds.values": "lists have a limit far below; it keeps the memory of nonsense small",
    "ConnectionRules.lingerBodies": "of what is refused, and read so that the refusal is seen",
    "UnfinishedZones.most": "what does not fit is found an hour later",
    "GlobeCells.most": "with coarser squares a circle has fewer, and the same answer",
    "PushKeys.keyDraws": "one draw of four thousand millions fails",
    "StoreIdentity.sequencesPerMillisecond": "what change tokens of a restored server rest on",
    "Workers.threads": "of the process, whichever servers run in it",
    "Workers.threadsPerLane": "of the process, whichever servers run in it",
    "GivingWay.threadsPerLane": "of the process, whichever servers run in it",
    "WorkerThreads.niceness": own, "KnownSignatures.limit": "they are made again",
    "ProviderTokens.slack": "a clock that was set back by less has gone on",
    "SteadyTime.jitter": "a clock that was set back by less has gone on",
    "AddressShare.threads": "of the process, whichever servers run in it",
    "AddressShare.usersOfRate": "what a setting is unless it is set",
    "OperatorInvitations.longest": "what an operator asks for; how many there are is a limit",
    "AdminTokens.longest": "what an operator asks for; how many there are is a limit",
    "ServerFileWriter.pause": own, "StoreRetry.pause": own,
    "SettingWarnings.longestHeartbeat": "more is allowed, and a warning says what clients do then",
    "StoreRetry.calm": "which lines of the log are news",
    "TLSIdentity.daysOfWarning": own,
    "IPAddress.textBytes": "no address is longer", "NameLookup.threads": own,
    "NameTurns.perDomain": "more wait, as many as pushes may be under way",
    "HeldBytes.countedBytes": "of smaller ones each request has one",
    "RecordRoutes.bytesOfRecord": "an estimate; what an answer takes is counted",
    "LoopChannel.readBytes": piece, "WaitingLines.pieceBytes": piece,
    "AssetRoutes.bytesAtOnce": piece,
    "NameTurns.ofUnknown": "more wait, as many as pushes may be under way",
    "NameTurns.remembered": "of those beyond it one is forgotten, and known with its next answer",
    "Notifiers.stepsPerTurn": piece,
    "NotificationBuilder.argumentBytes": "a push has no more, and is cut to what it has",
    "DeliveryWorker.looksPerTurn": "how soon a device without a place is found; each is",
    "EventStream.mostBytes": piece, "StreamHandler.waterMark": piece,
    "StreamLimit.gracePeriod": own, "ZoneEmptying.step": piece,
    "ZoneEmptying.indexStep": piece, "ZoneEmptying.zonesPerLook": piece, "ZoneEmptying.room": piece,
    "PasswordVerifier.threadCount": "more wait, as many as the limit says",
    "PasswordSlots.mostOfOperators": "a part of the limit of all passwords",
    "PasswordSlots.mostOfAddress": "a part of the limit of all passwords",
    "KnownCredentials.longestSilence": "how old an answer may be, which is promised",
    "AccountTail.longestSilence": "how old what is known may be, which is promised",
    "MailboxTail.longestDelay": "how old a judgement may be, which is promised",
    "StreamPlaces.pause": "who asks again earlier is refused again",
    "HealthRoutes.longestSilence": "as long as a lease",
    "HealthRoutes.mostNamed": "the rest is said to be there",
    "Caution.rest": "what is left out is only for operators",
    "Notifiers.longestRest": "a pause, doubled up to it",
    "RecordOptions.mostDesiredNames": "a record type has no more fields",
    "OpenIDProvider.connectTime": "a part of the time for the whole answer, which is a limit",
  ]

  /// Names of constants that say that they are ours, with the file that they are in.
  private static func numbers(in text: String, of file: String) -> [String] {
    let constant =
      #/
      \/\/\/\ Ours[^\n]*\n(?:\ *\/\/\/[^\n]*\n)*\ *
      (?:(?:private|package|fileprivate|public)\ )?static\ (?:let|var)\ (\w+)
      /#
    return text.matches(of: constant).map { "\(file).\($0.output.1)" }
  }

  private static func all() throws -> Set<String> {
    var found: Set<String> = []
    for target in targets {
      let folder = Tidy.root.appending(path: "Sources/\(target)")
      let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
      for case let file as URL in files ?? .init() where file.pathExtension == "swift" {
        let name = file.deletingPathExtension().lastPathComponent
        found.formUnion(numbers(in: try String(contentsOf: file, encoding: .utf8), of: name))
      }
    }
    return found
  }

  @Test func `a number of the rules or of the server is a limit, or listed with a reason`() throws {
    let (found, listed) = (try Self.all(), Set(Self.listed.keys))
    #expect(found.subtracting(listed).sorted() == [], "move them into Limits, or list them here")
    #expect(listed.subtracting(found).sorted() == [], "these are gone")
  }

  @Test func `a number that nobody listed is found`() {
    let planted = "  /// Ours: of nothing.\n  /// And more.\n  private static let most = 7\n"
    #expect(Self.numbers(in: planted, of: "Planted") == ["Planted.most"])
  }
}
