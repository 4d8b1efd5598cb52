// Where operators sign in, and where they become one by a link. A link's secret stands behind # in the address: it is
// taken out of the address before anything else happens, and sent to this server only.
//
// Who is signed in already goes on to the console at once, but for who opens an invitation.
'use strict';

const session = '/_brume/admin/session';
const invitation = 'invitation.';
const behind = location.hash.slice(1);
const isInvited = behind.startsWith(invitation);
const link = isInvited ? behind.slice(invitation.length) : behind;
if (link) history.replaceState(null, '', location.pathname + location.search);

/** What the page is for: where it sends what was typed, and what it says. */
const purposes = {
  signIn: {
    path: session, isNew: false, title: 'Sign in to the console', button: 'Sign in',
    provider: (name) => `Sign in through ${name}`,
  },
  first: {
    path: session + '/first', isNew: true, title: 'Become the first operator', button: 'Make the operator',
    lead: 'This server has no operator yet. Choose how you sign in from now on.',
    provider: (name) => `Become it through ${name}`,
  },
  invited: {
    path: session + '/invitation/accept', isNew: true, title: 'Become an operator', button: 'Become an operator',
    provider: (name) => `Become one through ${name}`,
  },
};

const element = (id) => document.getElementById(id);

function say(text, isWrong = false) {
  const message = element('message');
  message.textContent = text;
  message.className = isWrong ? 'wrong' : '';
}

/** The answer's status and JSON; a status of 0 if no server answers. */
async function call(path, body) {
  const request = body && {
    method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body),
  };
  try {
    const answer = await fetch(path, { credentials: 'same-origin', cache: 'no-store', ...request });
    return { status: answer.status, json: await answer.json() };
  } catch {
    return { status: 0, json: { reason: 'The server does not answer.' } };
  }
}

function goOn() { location.replace('/_brume/console/'); }

/** Shows the form. */
function show(purpose, { name, lead } = purpose) {
  const { isNew, title, button } = purpose;
  element('title').textContent = document.title = title;
  element('lead').textContent = lead ?? '';
  element('lead').hidden = !lead;
  element('repetition').hidden = !isNew;
  element('again').required = isNew;
  element('submit').textContent = button;
  element('password').autocomplete = isNew ? 'new-password' : 'current-password';
  if (isNew) element('password').setAttribute('aria-describedby', 'rule');
  element('name').readOnly = name !== undefined;
  if (name !== undefined) element('name').value = name;
  element('form').hidden = false;
  offerProvider(purpose);
  element('form').onsubmit = (event) => { event.preventDefault(); submit(purpose); };
  element(name === undefined ? 'name' : 'password').focus();
}

/** Offers the server's OpenID provider, if it has one. */
async function offerProvider(purpose) {
  const { status, json } = await call(session + '/provider');
  if (status !== 200 || !json.provider) return;
  const button = element('provider');
  button.textContent = purpose.provider(json.provider);
  element('other').hidden = false;
  button.onclick = async () => {
    button.disabled = true;
    say('One moment…');
    const name = element('name').value;
    const answer = await call(session + '/provider', purpose.isNew ? { link, ...(name && { name }) } : {});
    button.disabled = false;
    if (answer.status === 200) return location.assign(answer.json.url);
    refuse(answer.json.reason || 'The server does not answer as expected.', 'provider');
  };
}

/** Says what is wrong, where a screen reader reads it, and puts the cursor there. */
function refuse(reason, field) {
  say(reason, true);
  element(field).setAttribute('aria-invalid', 'true');
  element(field).focus();
}

async function submit(purpose) {
  const [name, password] = [element('name').value, element('password').value];
  for (const field of ['name', 'password', 'again']) element(field).removeAttribute('aria-invalid');
  if (purpose.isNew && password !== element('again').value) {
    return refuse('The two passwords differ.', 'again');
  }
  element('submit').disabled = true;
  say('One moment…');
  const answer = await call(purpose.path, { name, password, ...(purpose.isNew && { link }) });
  element('submit').disabled = false;
  if (answer.status === 200) return goOn();
  if (purpose.isNew && answer.status === 401) show(purposes.signIn);
  const isName = purpose === purposes.first && answer.status === 400;
  refuse(answer.json.reason || 'The server does not answer as expected.', isName ? 'name' : 'password');
}

/** What the invitation says, or why it is not good any more. */
async function showInvitation() {
  const { status, json } = await call(session + '/invitation', { link });
  if (status === 200) {
    const rights = json.role === 'full' ? 'see and change everything on' : 'look at everything on';
    const lead = `You are invited as ${json.name}, who may ${rights} this server. Choose a password.`;
    return show(purposes.invited, { name: json.name, lead });
  }
  show(purposes.signIn);
  say(json.reason || 'The invitation cannot be used.', true);
}

async function begin() {
  if (isInvited) return showInvitation();
  if ((await call(session)).status === 200) return goOn();
  if (!link) return show(purposes.signIn);
  const answer = await call(session + '/first', { link });
  if (answer.status === 200) return goOn();
  // The link is good, and wants a name and a password beside it.
  show(answer.status === 400 ? purposes.first : purposes.signIn);
  if (answer.status !== 400) say(answer.json.reason || 'The link cannot be used.', true);
}

begin();
