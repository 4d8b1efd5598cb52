// Users and keys: who may call this server. One tab each for users, API tokens, server keys, Apple's push
// keys, webhooks and operators.

import { h } from "../core/render.js";
import { route, to } from "../core/router.js";
import { Button, Tabs } from "../parts/controls.js";
import { Head } from "../parts/layout.js";
import * as accounts from "./users-accounts.js";
import * as tokens from "./users-tokens.js";
import * as keys from "./users-keys.js";
import * as apns from "./users-apns.js";
import * as webhooks from "./users-webhooks.js";
import * as operators from "./users-operators.js";

const tabs = { users: accounts, tokens, keys, apns, webhooks, operators };
const current = () => tabs[route.query.tab] ?? accounts;

export const page = {
  name: "users",
  title: "Users and keys",
  icon: "users",
  view,
  keys: () => ({ n: [current().newTitle, () => current().begin()] }),
};

function view() {
  const tab = current();
  return [
    h(
      Head,
      {
        title: "Users and keys",
        actions: h(Button, { kind: "primary", icon: "plus", onclick: tab.begin }, tab.newTitle),
      },
      h(Tabs, {
        label: "What may call",
        tabs: Object.entries(tabs).map(([name, { title }]) => ({
          text: title,
          isOn: tabs[name] === tab,
          href: to("users", [], { tab: name === "users" ? "" : name }),
        })),
      }),
    ),
    h("div.tab", { key: tab.title }, tab.View()),
  ];
}
