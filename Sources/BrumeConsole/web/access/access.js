// Where operators sign in. A one-time link's secret stands behind # in the address: it is taken out of the
// address before anything else happens, and sent to this server only.
//
// Who is signed in already goes on to the console at once.
'use strict';

const session = '/_brume/admin/session';
const link = location.hash.slice(1);
if (link) history.replaceState(null, '', location.pathname + location.search);

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

/** Shows the form: to sign in, or to become the first operator. */
function show(isFirst) {
  element('title').textContent = isFirst ? 'Become the first operator' : 'Sign in to the console';
  document.title = element('title').textContent;
  element('lead').hidden = !isFirst;
  element('repetition').hidden = !isFirst;
  element('again').required = isFirst;
  element('submit').textContent = isFirst ? 'Make the operator' : 'Sign in';
  element('password').autocomplete = isFirst ? 'new-password' : 'current-password';
  if (isFirst) element('password').setAttribute('aria-describedby', 'rule');
  element('form').hidden = false;
  offerProvider(isFirst);
  element('form').onsubmit = (event) => { event.preventDefault(); submit(isFirst); };
  element('name').focus();
}

/** Offers the server's OpenID provider, if it has one. */
async function offerProvider(isFirst) {
  const { status, json } = await call(session + '/provider');
  if (status !== 200 || !json.provider) return;
  const button = element('provider');
  button.textContent = isFirst ? `Become it through ${json.provider}` : `Sign in through ${json.provider}`;
  element('other').hidden = false;
  button.onclick = async () => {
    button.disabled = true;
    say('One moment…');
    const name = element('name').value;
    const answer = await call(session + '/provider', isFirst ? { link, ...(name && { name }) } : {});
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

async function submit(isFirst) {
  const [name, password] = [element('name').value, element('password').value];
  for (const field of ['name', 'password', 'again']) element(field).removeAttribute('aria-invalid');
  if (isFirst && password !== element('again').value) {
    return refuse('The two passwords differ.', 'again');
  }
  element('submit').disabled = true;
  say('One moment…');
  const answer = await call(isFirst ? session + '/first' : session,
    isFirst ? { link, name, password } : { name, password });
  element('submit').disabled = false;
  if (answer.status === 200) return goOn();
  const reason = answer.json.reason || 'The server does not answer as expected.';
  if (isFirst && answer.status === 401) show(false);
  refuse(reason, isFirst && answer.status === 400 ? 'name' : 'password');
}

async function begin() {
  if ((await call(session)).status === 200) return goOn();
  if (!link) return show(false);
  const answer = await call(session + '/first', { link });
  if (answer.status === 200) return goOn();
  // The link is good, and wants a name and a password beside it.
  show(answer.status === 400);
  if (answer.status !== 400) say(answer.json.reason || 'The link cannot be used.', true);
}

begin();
