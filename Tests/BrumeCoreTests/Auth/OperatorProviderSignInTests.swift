// Operators on the way to an OpenID provider and back: whose identity counts, in which browser, for how long.

import BrumeCore
import BrumeModel
import BrumeTestKit
import Testing

@Suite struct OperatorProviderSignInTests {
  private static let issuer = "https://id.example"

  /// Nobody keeps these passwords.
  private static func server() async throws -> TestServer {
    var limits = Limits.apple
    limits.passwordRounds = 16
    return try await TestServer(coders: .wire, limits: limits)
  }

  private static func claims(_ subject: String, name: String? = nil) -> IDToken.Claims {
    var claims = IDToken.Claims(
      issuer: issuer, subject: subject, audiences: ["c"], expires: 0, issued: 0)
    claims.preferredName = name
    return claims
  }

  private static func identity(_ subject: String) -> ProviderIdentity {
    ProviderIdentity(issuer: issuer, subject: subject)
  }

  private static func code(_ body: () async throws -> Void) async -> BrumeError.Code? {
    do { try await body() } catch let error as BrumeError { return error.code } catch {}
    return nil
  }

  @Test func `issuer and subject together are an operator, and nothing else is`() async throws {
    let engine = try await Self.server().engine
    let cleo = try await engine.operators.add(
      name: "cleo", identity: Self.identity("s 1"), role: .readOnly)
    #expect(try await engine.operatorProviderSignIns.person(of: Self.claims("s 1")) == cleo)
    #expect(cleo.identity == Self.identity("s 1"))
    for subject in ["s", "1", "s 1 ", "cleo", ""] {
      let code = await Self.code {
        _ = try await engine.operatorProviderSignIns.person(of: Self.claims(subject))
      }
      #expect(code == .authenticationFailed, "\(subject)")
    }
    let twice = await Self.code {
      _ = try await engine.operators.add(
        name: "other", identity: Self.identity("s 1"), role: .full)
    }
    #expect(twice == .exists)
  }

  @Test func `who was removed is nobody, and who got a password has no identity any more`()
    async throws
  {
    let engine = try await Self.server().engine
    for name in ["ada", "cleo"] {
      _ = try await engine.operators.add(name: name, identity: Self.identity(name), role: .full)
    }
    let session = try await engine.operatorSessions.begin(
      for: try await engine.operatorProviderSignIns.person(of: Self.claims("ada")))
    _ = try await engine.operators.remove("ada")
    _ = try await engine.operators.change("cleo", password: "correct horse", role: nil)
    for name in ["ada", "cleo"] {
      let code = await Self.code {
        _ = try await engine.operatorProviderSignIns.person(of: Self.claims(name))
      }
      #expect(code == .authenticationFailed, "\(name)")
    }
    let access = try await engine.operatorAuthentication.access(
      session.secret, as: .session, inDevelopment: false)
    #expect(access == nil)
  }

  @Test func `an identity is no password`() async throws {
    let engine = try await Self.server().engine
    let cleo = try await engine.operators.add(
      name: "cleo", identity: Self.identity("s"), role: .full)
    let code = await Self.code {
      let check = try await engine.operators.passwordCheck(name: "cleo")
      _ = try check.verified(password: cleo.passwordHash)
    }
    #expect(code == .authenticationFailed)
  }

  @Test func `a content comes back to the browser that set out, in time`() async throws {
    let server = try await Self.server()
    let signIns = server.engine.operatorProviderSignIns
    let content = try await signIns.request(browser: "b", link: nil, name: nil)
    #expect(signIns.isOurs(content.state) && !signIns.isOurs(content.state + "A"))
    let back = try signIns.response(content.state, browser: "b")
    #expect(back.nonce == content.nonce && !back.isFirst)
    for browser in ["c", nil] {
      let code = await Self.code { _ = try signIns.response(content.state, browser: browser) }
      #expect(code == .badRequest)
    }
    server.clock.advance(by: server.engine.limits.signInLifetime)
    let late = await Self.code { _ = try signIns.response(content.state, browser: "b") }
    #expect(late == .badRequest)
  }

  @Test func `a link makes the first operator once, under the provider's name for him`()
    async throws
  {
    let engine = try await Self.server().engine
    let link = try #require(try await engine.operatorLinks.make(inDevelopment: false))
    let signIns = engine.operatorProviderSignIns
    let content = try await signIns.request(browser: "b", link: link.secret, name: nil)
    let back = try signIns.response(content.state, browser: "b")
    #expect(back.isFirst)
    let person = try signIns.newOperator(back, Self.claims("s", name: "ada"))
    #expect(person.name == "ada" && person.role == .full)
    _ = try await engine.operatorLinks.makeFirst(person, id: back.link)
    #expect(try await engine.operators.all() == [person])
    let again = await Self.code {
      _ = try await engine.operatorLinks.makeFirst(person, id: back.link)
    }
    #expect(again == .authenticationFailed)
    let used = await Self.code {
      _ = try await signIns.request(browser: "b", link: link.secret, name: nil)
    }
    #expect(used == .authenticationFailed)
  }
}
