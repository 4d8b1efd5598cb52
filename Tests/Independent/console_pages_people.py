"""People on the console: who has a role, a token that is made for a user, signing somebody out, and a quota."""
import json

from brume_server import Listener, Refused, expect


def role_members(tour):
    """A role is given and taken by keys; the next request of the member knows of it."""
    console = tour.console
    tour.phone.call("records/modify", {"operations": [{"operationType": "create", "record": {
        "recordType": "Note", "recordName": "of-alice", "fields": {"text": {"value": "mine"}}}}]}, "public")
    expect(_writes(tour, "bob", "of-alice") == "ACCESS_DENIED", "bob may not write what alice made")
    tour.open("schema", "?tab=roles")
    console.see_text("Nobody has one of the container's own roles")
    console.choose("Give", "editor")
    console.choose("to", "bob")
    console.push("Give the role")
    console.see_text("bob is a member of editor now")
    tour.see_cell("Members of roles", "editor", "User", "bob", "a role is given by keys")
    expect(_writes(tour, "bob", "of-alice") is None, "and counts from the next request on")
    tour.done("role-members", "who has which role")
    console.push("Take editor from bob")
    console.see_text("bob is no member of editor any more")
    expect(_writes(tour, "bob", "of-alice") == "ACCESS_DENIED", "it is taken by a key, and bob may not write any more")


def _writes(tour, user, name):
    """Why a user may not write a public record; nothing, if it is written."""
    answer = tour.server.client(user, "mac").call("records/modify", {"operations": [{"operationType": "forceUpdate", "record": {
        "recordType": "Note", "recordName": name, "fields": {"text": {"value": "theirs"}}}}]}, "public")
    return answer["records"][0].get("serverErrorCode")


def sessions(tour):
    """A token that the page makes signs in; when the user is signed out its streams end, and it is refused."""
    console = tour.console
    tour.begin("users", "", "carol")
    console.press("Enter")
    console.see("complementary", "carol")
    console.push("Make a token")
    tour.server.values["BRUME_USER_TOKEN_CAROL"] = tour.shown_once("Token of carol").strip()
    carol = tour.server.client("carol", "laptop")
    expect(carol.call("zones/list", {})["zones"], "the token that is made for carol signs in as her")
    stream = Listener(carol).listen()
    tour.again("users/carol")
    console.see_text("laptop")
    tour.done("users-devices", "a user with a device")
    expect(stream.is_alive(), "a device of hers has an open stream")
    tour.confirm("Sign out", "carol", "carol is signed out")
    stream.join(60)
    expect(not stream.is_alive(), "after the typed name her streams end")
    try:
        carol.call("zones/list", {})
        raise SystemExit("FAILED: the token of somebody who was signed out is taken")
    except Refused as error:
        expect(": 401" in str(error) or ": 421" in str(error), "and her tokens are refused")


def quota(tour):
    """How much of the quota somebody uses is said, and that nothing more fits."""
    bob = tour.server.client("bob", "mac")
    def save(name, size):
        return bob.call("records/modify", {"operations": [{"operationType": "forceReplace", "record": {
            "recordType": "Note", "recordName": name, "fields": {"text": {"value": "x" * size}}}}]})["records"][0]
    expect("serverErrorCode" not in save("half", 49_800), "half of a quota is used")
    tour.open("users/bob")
    tour.console.see_text("50 % of 100 KB")
    save("more", 45_500)
    refused = save("too-much", 20_000)
    expect(refused.get("serverErrorCode") == "QUOTA_EXCEEDED", f"what does not fit is refused {refused.get('reason')}")
    tour.again("users/bob")
    tour.console.see_text("% of 100 KB")
    badge = "document.querySelector('.inspector .facts .badge.wait')?.innerText.trim()"
    tour.console.until(f"/^9[5-9] % of 100 KB$/.test({badge})", "a quota that is nearly used is marked")
    tour.open("usage")
    tour.see_cell("Storage by user", "bob", "Quota", lambda text: text.startswith("9") and "% of 100 KB" in text,
                  "the page of usage says the same")
    stored = json.loads(tour.admin("usage/storage?user=bob"))
    expect(stored["quota"] == 100_000 and stored["users"][0]["bytes"] > 95_000, "as the server counts it")
    tour.done("usage-quota", "the quota of each user, and how much of it is used")


WALKS = [role_members, sessions, quota]
