// A user in one container environment: whose devices and kept notifications these are.

import BrumeModel

struct AccountKey: Hashable {
  let user: UserID
  let containerEnvironment: ContainerEnvironment
}

extension DeviceKey {
  var account: AccountKey { AccountKey(user: user, containerEnvironment: containerEnvironment) }
}
