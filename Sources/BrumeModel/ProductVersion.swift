// Which version of Brume this is, as the changelog calls it.

/// The version of the product.
package enum ProductVersion {
  package static let text = "unreleased"
}
