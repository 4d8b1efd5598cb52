// The sign-in page: shows the ways to sign in, and hands the result to the page that opened it.
//
// The result goes to the origins that the server named and to no other: a window of another origin
// does not get a message that is addressed to these.
'use strict';

const state = new URLSearchParams(location.search).get('state') || '';
const element = (id) => document.getElementById(id);
let origins = [];

function say(text, isWrong) {
  const message = element('message');
  message.textContent = text;
  message.className = isWrong ? 'wrong' : '';
}

function post(message, to) {
  if (!window.opener) return false;
  for (const origin of to) window.opener.postMessage(message, origin);
  return to.length > 0;
}

/** Takes the server's word: an error, an address to go to, or a token to hand over. */
function deliver(outcome) {
  if (outcome.error) {
    say(outcome.error, true);
    post({ errorMessage: outcome.error }, outcome.origins || []);
    return;
  }
  if (outcome.location) {
    location.replace(outcome.location);
    return;
  }
  const form = element('form');
  if (form) form.hidden = true;
  // CloudKit JS reads ckSession; Apple's document shows ckWebAuthToken.
  const message = { ckWebAuthToken: outcome.token, ckSession: outcome.token };
  if (post(message, outcome.origins)) {
    say('You are signed in. This window can be closed.');
    window.close();
  } else {
    say('You are signed in, but no page of the app is waiting for it.', true);
  }
}

/** The answer's JSON. Browsers have words of their own for what is no answer, which tell a user nothing. */
async function call(path, body) {
  let answer, json;
  try {
    answer = await fetch(path, body === undefined ? {} : {
      method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body),
    });
    json = await answer.json();
  } catch {
    throw new Error(`The server does not answer${answer ? ' as expected' : ''}. Try again.`);
  }
  if (!answer.ok) throw new Error(json.reason || 'The server does not answer as expected.');
  return json;
}

async function submit(event) {
  event.preventDefault();
  element('submit').disabled = true;
  say('');
  try {
    deliver(await call('password', {
      state,
      name: element('name').value,
      password: element('password').value,
      keep: element('keep').checked,
      discoverable: element('discoverable').checked,
    }));
  } catch (error) {
    say(error.message, true);
  } finally {
    element('submit').disabled = false;
  }
}

function leave() {
  const flags = new URLSearchParams({
    state, keep: element('keep').checked, discoverable: element('discoverable').checked,
  });
  location.assign('provider?' + flags);
}

function cancel() {
  post({ errorMessage: 'The user did not sign in.' }, origins);
  window.close();
}

async function begin() {
  try {
    const options = await call('options?' + new URLSearchParams({ state }));
    origins = options.origins;
    element('app').textContent = 'to ' + options.app + ' (' + options.container + ')';
    if (origins.length > 0) {
      element('receiver').textContent = 'The page that gets your sign-in is of ' + origins.join(' or ') + '.';
      element('receiver').hidden = false;
    }
    element('by-password').hidden = !options.password;
    element('submit').hidden = !options.password;
    if (options.provider) {
      element('provider').textContent = 'Continue with ' + options.provider;
      element('provider').hidden = false;
    }
    element('form').hidden = false;
    element('form').addEventListener('submit', submit);
    element('provider').addEventListener('click', leave);
    element('cancel').addEventListener('click', cancel);
    element('name').focus();
  } catch (error) {
    say(error.message, true);
  }
}

if (document.body.dataset.outcome) deliver(JSON.parse(document.body.dataset.outcome));
else begin();
