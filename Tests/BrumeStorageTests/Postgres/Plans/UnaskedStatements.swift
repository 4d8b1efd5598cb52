// Statements that the requests of `FullTables` do not ask, and why their plans do not matter. A new statement is asked
// there, or comes into this list.

extension WrittenStatement {
  /// Names, by the reason.
  static let unasked: [String: String] = [
    "The server answers without a plan.": """
    Session.discardPlans Session.commit Session.rollback Session.savepoint Session.release
    Session.rollbackToSavepoint Readers.begin WriteGroup.begin PendingDevices.withSorting
    PendingDevices.withoutSorting
    """,
    "Once at the start, or for each new connection.": """
    ConnectionSettings.session StoreLock.share StoreLock.own StoreLock.wait
    StoreLock.waitNoMore Migrations.place Migrations.version Opening.oldest Opening.check
    DatabaseMark.findStore OldWriterRows.findProcesses OldWriterRows.findRecent
    OldWriterRows.removeOld Acknowledgements.find Acknowledgements.findPositions
    Acknowledgements.addLoss WriterRow.setName WriterRow.endOthers WriterRow.add
    WriterRow.find Durability.unsafe Tail.listen
    """,
    "Every few seconds, of tables with a row for each bucket or process.": """
    LeaseRound.sayThatWeAreHere LeaseRound.findOtherPlace LeaseRound.forgetNodes
    LeaseRound.countNodes LeaseRound.endSleepers LeaseRound.renew LeaseRound.find
    LeaseRound.findLapse LeaseRound.giveAway LeaseRound.take LeaseRound.giveAwayAll
    LeaseRound.leave Tail.notify Tail.findAccounts Locks.fence DatabaseClock.read
    """,
    "On Citus only.": """
    CitusTables.isThere CitusTables.undivided KnownWebhooks.find Worker.findIdentity
    WorkerMap.isCitusThere WorkerMap.isBucketTableDivided WorkerMap.find
    WorkerMap.findIdentities WorkerSessions.endSleepers Connection.keepPlans Shard.check
    Shard.findTables
    """,
    "For an operator's command that reads or writes whole tables.": """
    PostgresCheckup.mostConnections PostgresCheckup.hasNodes PostgresCheckup.tablesVersion
    PostgresCheckup.findStoreID
    PostgresCheckup.missingRights PostgresCheckup.dataChecksums
    PostgresCheckup.nothing PostgresInspection.files PostgresInspection.records
    PostgresInspection.log
    MovedRowWriter.make PostgresExport.identity PostgresExport.lastDelivery
    PostgresExport.cursors PostgresExport.log PostgresMovedRows.init PostgresMoving.begin
    PostgresMoving.findNote PostgresMoving.setMail
    PostgresMoving.setFloor PostgresMoving.lastPosition PostgresMoving.counts
    PostgresSequences.lockAll PostgresSequences.setFloor PostgresSequences.raise
    """,
    "For operators, of whom there are few, and their lists.": """
    PostgresOperators.table PostgresOperators.find PostgresOperators.findNamed
    PostgresOperators.all PostgresOperators.credentialTable PostgresOperators.findCredential
    PostgresOperators.allCredentials PostgresAudit.find PostgresAudit.add
    PostgresAudit.dropOld PostgresAudit.setStatus PostgresAudit.dropBeyond
    PostgresAPNsSenders.table PostgresAPNsSenders.find PostgresWebhooks.table
    PostgresWebhooks.find PostgresWebhooks.change PostgresRoles.table PostgresRoles.findMembers
    PostgresCredentials.tokens PostgresCredentials.keys PostgresCredentials.allTokens
    PostgresCredentials.allKeys PostgresLog.findNewest PostgresPushLog.find
    PostgresZones.countDatabases
    """,
    "When an account comes or goes: all accounts, identities or databases are read.": """
    PostgresUsers.findEstimate PostgresUsers.findCount PostgresUsers.unlink
    PostgresZones.databasesOfOwner
    """,
    "Every hour, about all databases.": """
    PostgresZones.databasesOfContainer PostgresZones.unfinishedDeletions
    """,
    "Where a store takes no locks, which a test asks for.": """
    Locks.look
    """,
    "By the whole key of a row that was found right before.": """
    PostgresLog.dropImage
    """,
    "Rows come with what is asked of them, so that nobody looks again.": """
    IndexRows.probe
    """,
    "No rows of an index come later, as they do with SQLite.": """
    IndexKeyRows.setBehind IndexStatements.bySequence
    """,
  ]

  static let unaskedNames = Set(
    unasked.values.flatMap { $0.split(whereSeparator: \.isWhitespace) }.map(String.init))
}
