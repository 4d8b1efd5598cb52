// The types of brume.js. A guide is in docs/javascript.md; what the server does is in docs/README.md.

// MARK: Values

/** What a field holds. A whole number fits any numeric field; beyond 2^53 an INT64 is a bigint. */
export type Scalar = string | number | bigint | boolean | Date | Timestamp | Uint8Array | Location | Reference | Asset;
/** What a fetched field holds. Booleans come back as 1 and 0, bytes as a `Uint8Array`, a time that no `Date` can be as a `Timestamp`. */
export type FieldValue = Exclude<Scalar, boolean> | Exclude<Scalar, boolean>[];
/** What a field may be set to. `null` clears it; a `Blob`, or a `File`, is sent and becomes an asset, also in a list. */
export type FieldInput = Scalar | Scalar[] | ArrayBuffer | Blob | (Asset | Blob)[] | Encrypted | null | undefined;

/** A time that no `Date` can be, which the server takes: milliseconds since 1970. */
export class Timestamp {
  constructor(milliseconds: number | bigint);
  milliseconds: bigint;
}

/** A place: degrees, metres, metres a second. */
export class Location {
  constructor(values: {
    latitude: number; longitude: number; altitude?: number; horizontalAccuracy?: number;
    verticalAccuracy?: number; speed?: number; course?: number; timestamp?: Date | Timestamp | number;
  });
  latitude: number;
  longitude: number;
  altitude?: number;
  horizontalAccuracy?: number;
  verticalAccuracy?: number;
  speed?: number;
  course?: number;
  timestamp?: Date | Timestamp;
}

export type ReferenceAction = "NONE" | "DELETE_SELF" | "VALIDATE";

/** A pointer to a record of the same zone. */
export class Reference {
  constructor(record: string | { recordName: string; zoneID?: ZoneID }, options?: { action?: ReferenceAction; zoneID?: ZoneID });
  recordName: string;
  action: ReferenceAction;
  zoneID?: ZoneID;
}

/** A file of a record. `downloadURL` is good for four hours after the record was fetched. */
export class Asset {
  constructor(values: { fileChecksum: string; size: number | string; receipt?: string; downloadURL?: string });
  fileChecksum: string;
  size: number;
  receipt?: string;
  downloadURL?: string;
}

/** A value whose field is to be encrypted for good. */
export class Encrypted {
  constructor(value: Exclude<FieldInput, Encrypted | Blob | (Asset | Blob)[] | undefined>);
  value: FieldInput;
}

// MARK: Records and zones

export interface ZoneID {
  zoneName: string;
  /** Left out for zones of one's own. */
  ownerRecordName?: string;
  zoneType?: "DEFAULT_ZONE" | "REGULAR_CUSTOM_ZONE";
}
export interface Zone {
  zoneID: ZoneID;
  syncToken?: string;
  atomic: boolean;
  deleted: boolean;
}
/** A zone by its name, its ID, or as it was fetched. */
export type ZoneName = string | ZoneID | Zone;

export interface Stamp {
  timestamp: Date;
  userRecordName: string;
  deviceID: string;
}

/** A record of the server. It may be changed and saved again. */
export interface BrumeRecord {
  recordName: string;
  recordType: string;
  recordChangeTag?: string;
  zoneID: ZoneID;
  fields: { [name: string]: FieldValue };
  encryptedFields?: string[];
  parent?: { recordName: string };
  share?: { recordName: string };
  shortGUID?: string;
  created?: Stamp;
  modified?: Stamp;
  /** Of shares. */
  publicPermission?: SharePermission;
  owner?: Participant;
  participants?: Participant[];
  currentUserParticipant?: Participant;
  rootRecordName?: string;
}

/** A record to save. Without a tag it is a new one. */
export interface RecordInput {
  recordType?: string;
  /** Left out for a name that the server makes. */
  recordName?: string;
  recordChangeTag?: string;
  zoneID?: ZoneName;
  fields?: { [name: string]: FieldInput };
  encryptedFields?: string[];
  /** `null` takes the record out of its hierarchy. */
  parent?: string | { recordName: string } | null;
  createShortGUID?: boolean;
  forRecord?: { recordName: string; recordChangeTag: string };
  publicPermission?: SharePermission;
  /** Of a share: all who are to take part; who is named by an address, a number or a user is invited. */
  participants?: (Invitation | Participant)[];
}

export type OperationType = "create" | "update" | "forceUpdate" | "replace" | "forceReplace" | "delete" | "forceDelete";
export interface RecordOperation {
  operationType: OperationType;
  record: RecordInput;
}
/** One of `record`, `deleted` and `error` is there. */
export interface RecordResult {
  recordName: string;
  record?: BrumeRecord;
  deleted?: true;
  error?: BrumeError;
}

// MARK: Queries, changes, subscriptions

export type Comparator =
  | "EQUALS" | "NOT_EQUALS" | "IN" | "NOT_IN"
  | "LESS_THAN" | "LESS_THAN_OR_EQUALS" | "GREATER_THAN" | "GREATER_THAN_OR_EQUALS"
  | "BEGINS_WITH" | "NOT_BEGINS_WITH" | "CONTAINS_ALL_TOKENS" | "CONTAINS_ANY_TOKENS" | "NEAR"
  | "LIST_CONTAINS" | "NOT_LIST_CONTAINS" | "LIST_CONTAINS_ANY" | "NOT_LIST_CONTAINS_ANY"
  | "LIST_CONTAINS_ALL" | "NOT_LIST_CONTAINS_ALL" | "LIST_MEMBER_BEGINS_WITH" | "NOT_LIST_MEMBER_BEGINS_WITH";

export interface Filter {
  comparator: Comparator;
  fieldName?: string;
  systemFieldName?: string;
  value: Scalar | Scalar[];
  /** Of NEAR, in metres. */
  distance?: number;
}
export interface Sort {
  fieldName?: string;
  systemFieldName?: string;
  ascending?: boolean;
  relativeLocation?: Location;
}
/** Filters combine by AND. */
export interface Query {
  recordType: string;
  filterBy?: Filter[];
  sortBy?: Sort[];
}
export interface QueryPage {
  records: BrumeRecord[];
  /** For each record that the server cannot read, an error with its `recordName` and `zoneID`. */
  unreadable: BrumeError[];
  continuationMarker?: string;
}
export interface DatabaseChangesPage {
  zones: Zone[];
  deletedZones: Zone[];
  syncToken: string;
  moreComing: boolean;
}
export interface ZoneChangesPage {
  records: BrumeRecord[];
  deletedRecordNames: string[];
  /** For each record that the server cannot read, an error with its `recordName`. */
  unreadable: BrumeError[];
  syncToken: string;
  moreComing: boolean;
}

export interface NotificationInfo {
  alertBody?: string;
  alertLocalizationKey?: string;
  alertLocalizationArgs?: string[];
  alertActionLocalizationKey?: string;
  alertLaunchImage?: string;
  title?: string;
  titleLocalizedKey?: string;
  titleLocalizedArguments?: string[];
  subtitle?: string;
  subtitleLocalizedKey?: string;
  subtitleLocalizedArguments?: string[];
  soundName?: string;
  category?: string;
  shouldBadge?: boolean;
  shouldSendContentAvailable?: boolean;
  shouldSendMutableContent?: boolean;
  collapseIdKey?: string;
  additionalFields?: string[];
}
interface AnySubscription {
  subscriptionID?: string;
  notificationInfo?: NotificationInfo;
}
export interface QuerySubscription extends AnySubscription {
  subscriptionType: "query";
  query: Query;
  firesOn: ("create" | "update" | "delete")[];
  firesOnce?: boolean;
  zoneID?: ZoneName;
  zoneWide?: boolean;
}
export interface ZoneSubscription extends AnySubscription {
  subscriptionType: "zone";
  zoneID: ZoneName;
}
export interface DatabaseSubscription extends AnySubscription {
  subscriptionType: "database";
}
export type Subscription = QuerySubscription | ZoneSubscription | DatabaseSubscription;

// MARK: People and shares

export interface UserIdentity {
  userRecordName?: string;
  nameComponents?: { givenName?: string; familyName?: string; nickname?: string };
  lookupInfo?: LookupInfo;
}
export interface LookupInfo {
  emailAddress?: string;
  phoneNumber?: string;
  userRecordName?: string;
}
export type SharePermission = "NONE" | "READ_ONLY" | "READ_WRITE";
export interface Participant {
  participantId?: string;
  userIdentity: UserIdentity;
  type: "OWNER" | "ADMINISTRATOR" | "USER" | "PUBLIC_USER";
  acceptanceStatus: "INVITED" | "ACCEPTED" | "REMOVED";
  permission: SharePermission;
}
/** Somebody to invite. */
export type Invitation = LookupInfo & { permission?: SharePermission };
export interface ShareOptions extends Cancellable {
  zoneID?: ZoneName;
  title?: string;
  participants?: (Invitation | Participant)[];
  publicPermission?: SharePermission;
}
export interface ShareMetadata {
  shortGUID: string;
  containerIdentifier: string;
  environment: string;
  databaseScope: "PRIVATE" | "SHARED";
  zoneID: ZoneID;
  share: BrumeRecord;
  rootRecordName?: string;
  rootRecord?: BrumeRecord;
  ownerIdentity: UserIdentity;
  participantType: string;
  participantStatus: string;
  participantPermission: SharePermission;
}

// MARK: Errors

/** Brume's codes, and `NETWORK_ERROR`: no answer of a server came. */
export type ErrorCode =
  | "ACCESS_DENIED" | "ATOMIC_ERROR" | "AUTHENTICATION_FAILED" | "AUTHENTICATION_REQUIRED" | "BAD_REQUEST"
  | "CONFLICT" | "EXISTS" | "INTERNAL_ERROR" | "NOT_FOUND" | "QUOTA_EXCEEDED" | "THROTTLED" | "TRY_AGAIN_LATER"
  | "UNIQUE_FIELD_ERROR" | "VALIDATING_REFERENCE_ERROR" | "ZONE_BUSY" | "ZONE_NOT_FOUND" | "NETWORK_ERROR";

/** Why a call, or one item of it, failed. */
export class BrumeError extends Error {
  constructor(details: { serverErrorCode: ErrorCode; reason: string; cause?: unknown; [detail: string]: unknown });
  readonly serverErrorCode: ErrorCode;
  readonly reason: string;
  /** The server's finer distinction; "client" if this module refused. */
  readonly code?: string;
  readonly status?: number;
  /** The request's ID, which the server's log has too. */
  readonly uuid?: string;
  /** Seconds after which the same request may work. */
  readonly retryAfter?: number;
  readonly redirectURL?: string;
  /** With CONFLICT: the record as it is on the server. */
  readonly serverRecord?: BrumeRecord;
  readonly recordName?: string;
  readonly fieldName?: string;
  readonly zoneID?: ZoneID;
  readonly subscriptionID?: string;
  readonly shortGUID?: string;
  /** All results of the call, if one of several failed. */
  readonly results?: RecordResult[];
  readonly isTokenExpired: boolean;
}

// MARK: The container

export interface Cancellable {
  signal?: AbortSignal;
}
/** Keeps the user's web auth token, which every answer renews. */
export interface TokenStore {
  get(): string | null | Promise<string | null>;
  set(token: string | null): void | Promise<void>;
}
/** Keeps it in `localStorage`. */
export function browserTokens(key?: string): TokenStore;

/** Time, chance and the network, for tests. */
export interface Host {
  fetch: typeof fetch;
  /** Milliseconds since 1970. */
  now(): number;
  random(): number;
  uuid(): string;
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}
export interface ContainerOptions {
  /** Where the server is, such as `https://brume.example`. */
  url: string;
  /** The container's name, such as `iCloud.org.example.app`. */
  container: string;
  environment?: "development" | "production";
  apiToken: string;
  /** A user's token, if one is at hand; otherwise `signIn`. */
  webAuthToken?: string;
  tokens?: TokenStore;
  /** Names this device. Two tabs of one browser are one device unless they are named. */
  deviceID?: string;
  /** Leads the user through the page and answers the token; calls that needed him are then repeated. `signal`: none waits any more. */
  onSignInRequired?(redirectURL: string, options: Cancellable): Promise<string>;
  /** Milliseconds until an answer, and each part of it, has come: 60,000; all of it may take ten times as long, and files the time that they need. */
  timeout?: number;
  /** How often a request is sent in all: 5. */
  attempts?: number;
  /** The longest wait between two of them, in milliseconds: 30,000. */
  longestPause?: number;
  host?: Partial<Host>;
}

export interface Push {
  /** The position in this device's mailbox. */
  cursor: string;
  notificationID: string;
  containerIdentifier: string;
  /** What changed; "everything": more than the mailbox holds, so fetch all. */
  kind: "query" | "zone" | "database" | "everything";
  subscriptionID?: string;
  databaseScope?: Scope;
  zoneID?: ZoneID;
  recordName?: string;
  reason?: "created" | "updated" | "deleted";
  /** The `additionalFields` of the subscription, as bare JSON; whole numbers beyond 2^53 are texts. */
  fields?: { [name: string]: unknown };
  /** Something was cut to fit the limit of a push. */
  isPruned: boolean;
  aps: { alert?: { [key: string]: unknown }; badge?: number; sound?: string; category?: string; [key: string]: unknown };
}
export interface PushOptions extends Cancellable {
  /** The last push that was dealt with, if the app keeps it. */
  cursor?: string;
  /** Called whenever the stream stands. */
  onConnected?(): void;
  /** Called whenever a stream that stood has ended; it is opened again unless the app stopped. */
  onDisconnected?(): void;
  /** Called after each push that was dealt with; awaited. */
  onCursor?(cursor: string): void | Promise<void>;
  /** After so many milliseconds without a sign of life the stream is opened anew: 60,000. */
  silence?: number;
  /** What was dealt with is acknowledged after so many pushes, 1 to 20, and at the end: 20. */
  acknowledgeEvery?: number;
}

export class Container {
  constructor(options: ContainerOptions);
  readonly publicDatabase: Database;
  readonly privateDatabase: Database;
  readonly sharedDatabase: Database;
  get containerIdentifier(): string;
  get environment(): string;
  get deviceID(): string;

  currentUser(options?: Cancellable): Promise<UserIdentity & { userRecordName: string }>;
  signIn(options?: Cancellable): Promise<UserIdentity & { userRecordName: string }>;
  signInURL(options?: Cancellable): Promise<string>;
  takeWebAuthToken(tokenOrCallbackURL: string): Promise<void>;
  signOut(options?: Cancellable): Promise<void>;
  signOutEverywhere(options?: Cancellable): Promise<void>;
  /** Without a list: those whom one shares with. */
  discoverUsers(lookupInfos?: LookupInfo[], options?: Cancellable): Promise<UserIdentity[]>;

  resolveShares(shortGUIDs: string[], options?: JoinOptions): Promise<ShareMetadata[]>;
  acceptShares(shortGUIDs: string[], options?: JoinOptions): Promise<ShareMetadata[]>;

  downloadAsset(asset: Asset, options?: Cancellable): Promise<Uint8Array>;

  pushes(options?: PushOptions): AsyncGenerator<Push, void, undefined>;
  onPush(callback: (push: Push) => void | Promise<void>, options?: PushOptions & { onError?(error: unknown): void }): () => void;
}
export interface JoinOptions extends Cancellable {
  fetchRootRecord?: boolean;
  desiredKeys?: string[];
}

// MARK: Databases

export type Scope = "public" | "private" | "shared";
export interface ModifyOptions extends Cancellable {
  zoneID?: ZoneName;
  /** All of a custom zone's operations, or none. */
  atomic?: boolean;
  desiredKeys?: string[];
  /** Names the request, so that the server answers a repetition as it answered the first. */
  operationID?: string;
}
export interface SaveOptions extends ModifyOptions {
  policy?: "ifUnchanged" | "changedFields" | "allFields";
}
export interface LookupOptions extends Cancellable {
  zoneID?: ZoneName;
  desiredKeys?: string[];
}
export interface QueryOptions extends LookupOptions {
  /** All zones of a private database, where `zoneID` names none. */
  zoneWide?: boolean;
  /** Records of a page: at most 200, which it is unless said. `query()` goes on behind them. */
  resultsLimit?: number;
  continuationMarker?: string;
}
export interface ZoneChangesOptions extends Cancellable {
  syncToken?: string;
  resultsLimit?: number;
  desiredKeys?: string[];
  desiredRecordTypes?: string[];
  reverse?: boolean;
}
/** A record by its name, or as it was fetched. */
export type RecordName = string | { recordName: string; zoneID?: ZoneName; recordChangeTag?: string };

/** One of a container's databases; containers make them. */
export class Database {
  private constructor();
  readonly scope: Scope;
  readonly container: Container;

  modifyRecords(operations: RecordOperation[], options?: ModifyOptions): Promise<RecordResult[]>;
  saveRecord(record: RecordInput | BrumeRecord, options?: SaveOptions): Promise<BrumeRecord>;
  saveRecords(records: (RecordInput | BrumeRecord)[], options?: SaveOptions): Promise<RecordResult[]>;
  deleteRecord(record: RecordName, options?: ModifyOptions): Promise<void>;
  deleteRecords(records: RecordName[], options?: ModifyOptions): Promise<RecordResult[]>;
  lookupRecord(record: RecordName, options?: LookupOptions): Promise<BrumeRecord | null>;
  lookupRecords(records: RecordName[], options?: LookupOptions): Promise<(BrumeRecord | null)[]>;

  query(query: Query, options?: QueryOptions): AsyncGenerator<BrumeRecord, void, undefined>;
  queryPages(query: Query, options?: QueryOptions): AsyncGenerator<QueryPage, void, undefined>;

  zones(options?: Cancellable): Promise<Zone[]>;
  lookupZones(zones: ZoneName[], options?: Cancellable): Promise<(Zone | null)[]>;
  createZone(zone: ZoneName, options?: Cancellable): Promise<Zone>;
  deleteZone(zone: ZoneName, options?: Cancellable): Promise<void>;

  changes(options?: Cancellable & { syncToken?: string; resultsLimit?: number }): AsyncGenerator<DatabaseChangesPage, void, undefined>;
  zoneChanges(zone: ZoneName, options?: ZoneChangesOptions): AsyncGenerator<ZoneChangesPage, void, undefined>;

  subscriptions(options?: Cancellable): Promise<Subscription[]>;
  lookupSubscriptions(subscriptionIDs: string[], options?: Cancellable): Promise<(Subscription | null)[]>;
  saveSubscription(subscription: Subscription, options?: Cancellable): Promise<Subscription>;
  deleteSubscription(subscriptionID: string, options?: Cancellable): Promise<void>;

  share(root: BrumeRecord | null, options?: ShareOptions): Promise<BrumeRecord>;
  uploadAsset(
    place: { recordType: string; fieldName: string; recordName: string; zoneID?: ZoneName },
    file: Blob | Uint8Array | ArrayBuffer, options?: Cancellable): Promise<Asset>;
}

// MARK: The offline store

/** Where an offline store keeps things. `apply` is one transaction, durable when it returns. */
export interface OfflineStorage {
  get(table: string, key: string): Promise<any>;
  /** In the order of the keys. */
  list(table: string, prefix?: string): Promise<{ key: string; value: any }[]>;
  count(table: string, prefix?: string): Promise<number>;
  /** Without a value the entry goes. */
  apply(changes: { table: string; key: string; value?: any }[]): Promise<void>;
  close(): Promise<void>;
}
export class MemoryStorage implements OfflineStorage {
  get(table: string, key: string): Promise<any>;
  list(table: string, prefix?: string): Promise<{ key: string; value: any }[]>;
  count(table: string, prefix?: string): Promise<number>;
  apply(changes: { table: string; key: string; value?: any }[]): Promise<void>;
  close(): Promise<void>;
}
export class IndexedDBStorage implements OfflineStorage {
  constructor(name: string);
  readonly name: string;
  get(table: string, key: string): Promise<any>;
  list(table: string, prefix?: string): Promise<{ key: string; value: any }[]>;
  count(table: string, prefix?: string): Promise<number>;
  apply(changes: { table: string; key: string; value?: any }[]): Promise<void>;
  close(): Promise<void>;
}

export interface Conflict {
  zoneID: ZoneID;
  recordName: string;
  /** What was edited; null if the record was made here. */
  base: BrumeRecord | null;
  /** What the server has; null if it was deleted there. */
  theirs: BrumeRecord | null;
  /** What this device wants; null if it was deleted here. */
  yours: BrumeRecord | null;
  error: BrumeError;
}
/**
 * What the record is to be; null to delete it. `theirs` itself takes its parent, too; otherwise one that was set here wins. `yours` itself,
 * of a record that was deleted and made again, takes the place of theirs.
 */
export type Resolution = { fields: { [name: string]: FieldInput }; encryptedFields?: string[] } | null;

export interface StoreChange {
  zoneID: ZoneID;
  recordNames: string[];
  /** "edited" on this device, "sent" to the server, or "fetched" from it. */
  origin: "edited" | "sent" | "fetched";
}
export interface PendingEdit {
  zoneID: ZoneID;
  recordName: string;
  kind: "save" | "delete";
  /** The server refused it. */
  error?: BrumeError;
}
export interface OfflineStoreOptions {
  /** The same in all tabs; another one for each user. */
  name: string;
  zones: ZoneName[];
  /** IndexedDB unless given. */
  storage?: OfflineStorage;
  /** Decides conflicts. Unless given, fields that were changed here win, and what one side changed stays. */
  resolve?(conflict: Conflict): Resolution | Promise<Resolution>;
  /** How many edits may wait for these zones: 10,000. */
  editLimit?: number;
  /** How many records a zone may have: 100,000. */
  recordLimit?: number;
  /** What failed while the store syncs by itself (it tries again), and what a callback of `onChange` threw. */
  onError?(error: unknown): void;
}

export class OfflineStore {
  constructor(database: Database, options: OfflineStoreOptions);
  readonly name: string;
  readonly storage: OfflineStorage;
  record(recordName: string, zone?: ZoneName): Promise<BrumeRecord | null>;
  records(zone?: ZoneName): Promise<BrumeRecord[]>;
  pendingEdits(): Promise<PendingEdit[]>;
  save(record: RecordInput | BrumeRecord): Promise<BrumeRecord | null>;
  delete(recordName: string, zone?: ZoneName): Promise<void>;
  discard(recordName: string, zone?: ZoneName): Promise<void>;
  onChange(callback: (change: StoreChange) => void): () => void;
  sync(options?: Cancellable): Promise<void>;
  start(): void;
  close(): Promise<void>;
}
