import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Simulation } from '@strata/world/sim'
import type { BoundObject } from './bound-objects.ts'
import { ownTokens } from './own-tokens.ts'
import { ServiceAccountTokens } from './service-account-tokens.ts'

const { signal } = new AbortController()
const options = ownTokens()

/** Tokens over accounts and secrets that a test can change, with a clock that it can set. */
function create() {
  const process = new Simulation('tokens').process('a')
  const time = { nowMs: 1_800_000_000_000 }
  const seen = { accounts: new Map<string, BoundObject>(), secrets: new Map<string, BoundObject>() }
  const looks = { count: 0, catchUps: 0, onCatchUp: () => {} }
  const now = (): number => time.nowMs
  const tokens = new ServiceAccountTokens(options, {
    world: { ...process, random: process.random, clock: { ...process.clock, wallMs: now, monotonicMs: now } },
    accounts: (namespace, name) => {
      looks.count++
      return seen.accounts.get(`${namespace}/${name}`)
    },
    secrets: (namespace, name) => seen.secrets.get(`${namespace}/${name}`),
    catchUp: async () => {
      looks.catchUps++
      looks.onCatchUp()
    },
  })
  const account = { name: 'bot', uid: 'u-1' }
  const there = (uid: string, deletedAtMs?: number): BoundObject => ({ uid, deletedAtMs })
  seen.accounts.set('ns/bot', there('u-1'))
  const issue = (more: { secret?: { name: string; uid: string }; audiences?: string[] } = {}): string =>
    tokens.issue({
      namespace: 'ns',
      account,
      secret: more.secret,
      audiences: more.audiences ?? [...options.apiAudiences],
      lifeSeconds: 600,
    }).token
  const say = async (token: string, audiences?: readonly string[]): Promise<string> => {
    const verdict = await tokens.authenticate(token, signal, audiences)
    return verdict === 'foreign' ? 'foreign' : 'refused' in verdict ? verdict.refused : verdict.user.name
  }
  return { tokens, time, seen, looks, there, issue, say }
}
const bot = 'system:serviceaccount:ns:bot'

test('account token: names its user and its credential', async () => {
  const { tokens } = create()
  const { token, credentialId } = tokens.issue({
    namespace: 'ns',
    account: { name: 'bot', uid: 'u-1' },
    secret: undefined,
    audiences: options.apiAudiences,
    lifeSeconds: 600,
  })
  assert.match(credentialId, /^JTI=[0-9a-f-]{36}$/)
  assert.deepEqual(await tokens.authenticate(token, signal), {
    user: {
      name: bot,
      uid: 'u-1',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:ns', 'system:authenticated'],
      extra: { 'authentication.kubernetes.io/credential-id': [credentialId] },
    },
    audiences: options.apiAudiences,
  })
})

test('account token: ends with its time, also when it was known before', async () => {
  const { time, issue, say } = create()
  const token = issue()
  time.nowMs += 600_000
  assert.equal(await say(token), bot)
  time.nowMs += 59_000
  assert.equal(await say(token), bot)
  time.nowMs += 2_000
  assert.equal(await say(token), 'service account token has expired')
})

test('account token: ends with its account, also when it was known before', async () => {
  const { seen, issue, say } = create()
  const token = issue()
  assert.equal(await say(token), bot)
  seen.accounts.delete('ns/bot')
  assert.equal(await say(token), 'serviceaccounts "bot" not found')
})

test('account token: an account of the same name is another one', async () => {
  const { seen, there, issue, say } = create()
  const token = issue()
  assert.equal(await say(token), bot)
  seen.accounts.set('ns/bot', there('u-9'))
  assert.equal(await say(token), 'service account UID (u-9) does not match claim (u-1)')
})

test('account token: an account that only changed is still the same', async () => {
  const { seen, there, issue, say } = create()
  const token = issue()
  assert.equal(await say(token), bot)
  seen.accounts.set('ns/bot', there('u-1'))
  assert.equal(await say(token), bot)
})

test('account token: is good for a minute after the deletion of its account began', async () => {
  const { seen, there, time, issue, say } = create()
  const token = issue()
  seen.accounts.set('ns/bot', there('u-1', time.nowMs))
  assert.equal(await say(token), bot)
  time.nowMs += 60_001
  assert.equal(await say(token), 'service account ns/bot has been deleted')
})

test('account token: ends with the secret that it is bound to', async () => {
  const { seen, there, issue, say } = create()
  seen.secrets.set('ns/s', there('u-2'))
  const token = issue({ secret: { name: 's', uid: 'u-2' } })
  assert.equal(await say(token), bot)
  seen.secrets.set('ns/s', there('u-3'))
  assert.equal(await say(token), 'service account token has been invalidated')
  seen.secrets.delete('ns/s')
  assert.equal(await say(token), 'service account token has been invalidated')
})

test('account token: of an account that another server has just made is good here, too', async () => {
  const { seen, there, looks, issue, say } = create()
  const token = issue()
  seen.accounts.clear()
  looks.onCatchUp = () => seen.accounts.set('ns/bot', there('u-1'))
  assert.equal(await say(token), bot)
  assert.equal(looks.catchUps, 1)
})

test('account token: is valid for its audiences only', async () => {
  const { issue, say } = create()
  const [api = ''] = options.apiAudiences
  assert.equal(
    await say(issue({ audiences: ['vault'] })),
    `token audiences ["vault"] is invalid for the target audiences ["${api}"]`,
  )
  assert.equal(await say(issue({ audiences: ['vault'] }), ['vault']), bot)
  const token = issue()
  assert.equal(await say(token), bot)
  assert.equal(
    await say(token, ['vault']),
    `token audiences ["${api}"] is invalid for the target audiences ["vault"]`,
  )
})

test('account token: claims of one with the signature of another are refused, one of another issuer is not ours', async () => {
  const { issue, say } = create()
  const [head, , signature] = issue().split('.')
  const [, body] = issue().split('.')
  assert.equal(await say(`${head}.${body}.${signature}`), 'invalid signature')
  assert.equal(await say('some-static-token'), 'foreign')
})

test('account token: a verified token needs only lookups', async () => {
  const { tokens, looks, issue } = create()
  const token = issue()
  const first = tokens.authenticate(token, signal)
  const before = looks.count
  assert.equal(tokens.authenticate(token, signal), first)
  assert.equal(looks.count, before + 1)
  assert.equal(looks.catchUps, 0)
})
