"""Markup, scripts, addresses of scripts and ends of attributes, and how it is found that something became of one: what the parts of
console_attacks.py have in common."""

# Each leaves a mark if it becomes markup, and says so if it runs.
ATTACKS = [
    "<b data-attack>bold</b>", "<script data-attack>attacked()</script>", "<img data-attack src=x onerror=attacked()>",
    "<svg data-attack onload=attacked()>", "<iframe data-attack srcdoc='<script>parent.attacked()</script>'>",
    "<a data-attack href=javascript:attacked()>link</a>", "\"><b data-attack onfocus=attacked() autofocus tabindex=1>", "'><b data-attack>",
    "</title><b data-attack>", "</style><b data-attack>", "</textarea><b data-attack>", "</script><b data-attack>", "--><b data-attack>", "]]><b data-attack>",
    "<style data-attack>*{background:url(https://elsewhere.invalid/)}</style>", "<form data-attack action=https://elsewhere.invalid/><button>go",
    "<base data-attack href=https://elsewhere.invalid/>", "<meta data-attack http-equiv=refresh content='0;url=https://elsewhere.invalid/'>",
    "<details data-attack open ontoggle=attacked()>", "<template data-attack></template>", "${attacked()}<b data-attack>", "{{attacked()}}<b data-attack>",
    "\u202e<b data-attack>\u202c", "<b\u00a0data-attack>", "&lt;b data-attack&gt;", "<x" + "-" * 60 + " data-attack>",
]
# The same where no space may be: a slash parts a name and its attributes, too.
NAMES = [attack.replace(" ", "/") for attack in ATTACKS]
# An origin has neither, so the mark is the name of an element.
ORIGIN = "https://<data-attack>"
RUNS = "window.attacked = () => (window.wasAttacked = true)"
# By its attribute, or by its name: where no space parts them the attribute is a part of that.
FOUND = "([...document.querySelectorAll('*')].find((one) => one.hasAttribute('data-attack') || one.localName.includes('data-attack')) ?? null)"
MADE = f"{FOUND}?.outerHTML ?? window.wasAttacked ?? null"
MARK = "data-attack"
# Names of zones and records have printable ASCII only; of the attacks that have no other letters each is taken.
PLAIN = [attack for attack in ATTACKS if attack.isascii()]
LEAST = len(PLAIN)
# What only a header or a form says is shown nowhere.
CLAIMED = "only-claimed"
