// The containers of this server, each with its environments: what is in them, and the way to their records.

import { remote } from "../core/calls.js";
import { h } from "../core/render.js";
import { format, route } from "../core/router.js";
import { number, plural } from "../core/words.js";
import { Pane } from "../parts/layout.js";
import { Empty, Loaded } from "../parts/states.js";

const path = "/_brume/admin/containers";

export const Containers = () =>
  h(
    Pane,
    { key: "containers", title: "Containers", note: "made by their first save, token or key" },
    Loaded(remote(path), ({ containers }) =>
      containers.length === 0
        ? Empty("Nothing stored yet: the program beside saves a first record", undefined, "box")
        : h(
            "ul.steps",
            null,
            containers.map((one) =>
              h(
                "li.container",
                { key: `${one.container}/${one.environment}` },
                h(
                  "div",
                  null,
                  h(
                    "a",
                    {
                      href: recordsOf(one),
                    },
                    one.container,
                  ),
                  h("p.note", null, contents(one)),
                ),
                h("span.badge", { class: one.environment === "production" ? "wait" : "off" }, one.environment),
              )),
          )),
  );

const recordsOf = ({ container, environment }) =>
  format({ ...route, container, environment, page: "records", path: [], query: {} });

const contents = ({ databases, recordTypes, apiTokens, serverKeys }) =>
  [
    databases === 0 ? "nothing stored" : plural(databases, "database"),
    plural(recordTypes, "type"),
    apiTokens > 0 ? plural(apiTokens, "token") : "no token: no app may call",
    serverKeys > 0 && `${number(serverKeys)} server ${serverKeys === 1 ? "key" : "keys"}`,
  ].filter(Boolean).join(" · ");
