// This job publishes the chart once; a timer starts it. BRUME_KEY_ID and BRUME_KEY_FILE name its key.

import Charts
import CloudKit

@main struct ChartsJob {
  static func main() async throws {
    var settings = try Brume.Configuration()
    // A developer's environment may have a user as well; this job speaks for itself.
    settings.userToken = nil
    let order = try await Charts(container: Brume.container(settings)).publish()
    print("Chart: " + order.joined(separator: ", "))
  }
}
