// swift-format-ignore-file
// The tutorial about whistles (document 003). UIKit is left out, and with it the `@objc` that only
// its buttons need. The loop stands where the tutorial says to put it: in place of the comment
// "more code to come!".

import CloudKit
import Foundation

final class MyGenresViewController: @unchecked Sendable {
    var myGenres: [String]!

  func viewDidLoad() {
        let defaults = UserDefaults.standard
        if let savedGenres = defaults.object(forKey: "myGenres") as? [String] {
            myGenres = savedGenres
        } else {
            myGenres = [String]()
        }
  }

    func saveTapped() {
        let defaults = UserDefaults.standard
        defaults.set(myGenres, forKey: "myGenres")

        let database = CKContainer.default().publicCloudDatabase

        database.fetchAllSubscriptions { [unowned self] subscriptions, error in
            if error == nil {
                if let subscriptions = subscriptions {
                    for subscription in subscriptions {
                        database.delete(withSubscriptionID: subscription.subscriptionID) { str, error in
                            if error != nil {
                                // do your error handling here!
                                print(error!.localizedDescription)
                            }
                        }
                    }

    for genre in self.myGenres {
        let predicate = NSPredicate(format:"genre = %@", genre)
        let subscription = CKQuerySubscription(recordType: "Whistles", predicate: predicate, options: .firesOnRecordCreation)

        let notification = CKSubscription.NotificationInfo()
        notification.alertBody = "There's a new whistle in the \(genre) genre."
        notification.soundName = "default"

        subscription.notificationInfo = notification

        database.save(subscription) { result, error in
            if let error = error {
                print(error.localizedDescription)
            }
        }
    }
                }
            } else {
                // do your error handling here!
                print(error!.localizedDescription)
            }
        }
    }
}
