import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type HttpRequest, readAll, type Transport, TransportError, utf8 } from '@strata/world'
import type { SessionState } from './session-state.ts'
import { SignIn } from './sign-in.ts'

interface Answers {
  /** By method and path. */
  readonly [request: string]: readonly [status: number, body: unknown]
}

const { signal } = new AbortController()
const session = '/dashboard/session'
const review = 'POST /apis/authentication.k8s.io/v1/selfsubjectreviews'
const atServer: Answers = { [`GET ${session}`]: [200, { kind: 'server' }] }
const who = (username: string) => ({ status: { userInfo: { username } } })
const facts = { user: 'admin', cluster: 'local fleet', allowWrites: true, playground: true }

/** In place of an answer: none comes. */
const lost = new TransportError('connection refused', 'no')

function page(
  answers: Answers,
  { code, kept, failures = [] }: { code?: string; kept?: string; failures?: Error[] } = {},
) {
  const storage = new Map(kept === undefined ? [] : [['strata.token', kept]])
  const asked: string[] = []
  const states: SessionState[] = []
  const transport: Transport = async ({ method, target, headers, body }: HttpRequest) => {
    const sent = body === undefined ? '' : ` ${utf8.decode(await readAll(body))}`
    asked.push(`${method} ${target} ${headers['authorization'] ?? '-'}${target === session ? sent : ''}`)
    if (failures.length > 0) throw failures.shift()
    const [status, value] = answers[`${method} ${target}`] ?? [404, {}]
    return { status, headers: {}, body: utf8.encode(JSON.stringify(value)) }
  }
  const signIn = new SignIn({
    transport,
    storage: {
      getItem: (name) => storage.get(name) ?? null,
      setItem: (name, value) => void storage.set(name, value),
      removeItem: (name) => void storage.delete(name),
    },
    host: 'server:6443',
    takeCode: () => {
      const taken = code
      code = undefined
      return taken
    },
    show: (state) => states.push(state),
  })
  return { signIn, asked, states, token: () => storage.get('strata.token'), last: () => states.at(-1) }
}

test('sign in: at a server nothing is asked that it would have to refuse', async () => {
  const { signIn, asked, last } = page(atServer)
  await signIn.start(signal)
  assert.deepEqual(last(), { state: 'signed-out', by: 'server' })
  assert.deepEqual(asked, [`GET ${session} -`])
})

test('sign in: a token is sent as a header, kept by the tab, and used again after a reload', async () => {
  const answers = { ...atServer, [review]: [201, who('ada')] } as const
  const { signIn, asked, last, token } = page(answers)
  await signIn.start(signal)
  await signIn.withToken(' Bearer abc\n', signal)
  assert.equal(asked.at(-1), `${review} Bearer abc`)
  assert.equal(token(), 'abc')
  const state = last()
  assert.ok(state?.state === 'signed-in')
  const { user, cluster, playground } = state.session
  assert.deepEqual([user, cluster, playground], ['ada', 'server:6443', false])
  const again = page(answers, { kept: 'abc' })
  await again.signIn.start(signal)
  assert.equal(again.last()?.state, 'signed-in')
})

const refused: ReadonlyArray<[name: string, status: number, token: string, want: RegExp]> = [
  ['a wrong token', 401, 'abc', /does not accept this token/],
  ['a user without the role of every user', 403, 'abc', /system:basic-user/],
  ['what is no token', 201, 'a b', /This is no token/],
]
for (const [name, status, given, want] of refused)
  test(`sign in: ${name} is refused with a reason, and not kept`, async () => {
    const { signIn, last, token } = page({ ...atServer, [review]: [status, who('ada')] })
    await signIn.start(signal)
    await signIn.withToken(given, signal)
    const state = last()
    assert.ok(state?.state === 'signed-out')
    assert.match(state.problem ?? '', want)
    assert.equal(token(), undefined)
  })

test('sign in: a certificate is used only when the user says so, and then after a reload too', async () => {
  const answers = { ...atServer, [review]: [201, who('cert')] } as const
  const { signIn, asked, token } = page(answers)
  await signIn.start(signal)
  await signIn.withCertificate(signal)
  assert.equal(asked.at(-1), `${review} -`)
  const again = page(answers, { kept: token() ?? '' })
  await again.signIn.start(signal)
  assert.equal(again.last()?.state, 'signed-in')
})

test('sign in: the code of a link is exchanged once, in the body', async () => {
  const answers: Answers = {
    [`GET ${session}`]: [200, { kind: 'gateway', signedIn: false }],
    [`POST ${session}`]: [200, { kind: 'gateway', signedIn: true, token: 't', ...facts }],
  }
  const { signIn, asked, last, token } = page(answers, { code: 'one-time' })
  await signIn.start(signal)
  assert.deepEqual(asked, [`GET ${session} -`, `POST ${session} - {"code":"one-time"}`])
  assert.deepEqual(last(), { state: 'signed-in', session: { by: 'gateway', token: 't', ...facts } })
  assert.equal(token(), 't')
})

test('sign in: who is signed in to the gateway already does not use up a link', async () => {
  const { signIn, asked, last } = page(
    { [`GET ${session}`]: [200, { kind: 'gateway', signedIn: true, ...facts }] },
    { code: 'one-time', kept: 't' },
  )
  await signIn.start(signal)
  assert.deepEqual([last()?.state, asked], ['signed-in', [`GET ${session} Bearer t`]])
})

test('sign in: a used link says so; a session of an earlier gateway is forgotten', async () => {
  const out: Answers[string] = [200, { kind: 'gateway', signedIn: false }]
  const used: Answers[string] = [401, { message: 'the sign-in link was used' }]
  const link = page({ [`GET ${session}`]: out, [`POST ${session}`]: used }, { code: 'used' })
  await link.signIn.start(signal)
  assert.deepEqual(link.last(), { state: 'signed-out', by: 'gateway', problem: 'the sign-in link was used' })
  const old = page({ [`GET ${session}`]: out }, { kept: 'of the last one' })
  await old.signIn.start(signal)
  assert.deepEqual([old.last()?.state, old.token()], ['signed-out', undefined])
})

test('sign in: signing out forgets the token, and ends the session at the gateway', async () => {
  const { signIn, asked, last, token } = page(
    {
      [`GET ${session}`]: [200, { kind: 'gateway', signedIn: true, ...facts }],
      [`DELETE ${session}`]: [200, {}],
    },
    { kept: 't' },
  )
  await signIn.start(signal)
  await signIn.signOut(signal)
  assert.deepEqual(
    [last()?.state, token(), asked.at(-1)],
    ['signed-out', undefined, `DELETE ${session} Bearer t`],
  )
})

const linkAnswers: Answers = {
  [`GET ${session}`]: [200, { kind: 'gateway', signedIn: false }],
  [`POST ${session}`]: [200, { kind: 'gateway', signedIn: true, token: 't', ...facts }],
}
test('sign in: a link that could not be exchanged at first is exchanged when it is tried again', async () => {
  const { signIn, asked, states } = page(linkAnswers, { code: 'one-time', failures: [lost] })
  await signIn.start(signal)
  await signIn.start(signal)
  assert.deepEqual(
    states.map(({ state }) => state),
    ['unreachable', 'signed-in'],
  )
  assert.equal(asked.at(-1), `POST ${session} - {"code":"one-time"}`)
})

test('sign in: a code that was exchanged is not sent again', async () => {
  const { signIn, asked } = page(linkAnswers, { code: 'one-time' })
  await signIn.start(signal)
  await signIn.start(signal)
  assert.equal(asked.filter((each) => each.startsWith('POST')).length, 1)
})

const refusals: ReadonlyArray<[name: string, token: string | undefined, kept: string, want: string]> = [
  ['of this session', 't', 't', 'signed-out'],
  ['of an earlier one, which comes late', 'old', 't', 'signed-in'],
  ['of a session with a certificate', undefined, 'certificate', 'signed-out'],
  ['of a token, and now a certificate is used', 'old', 'certificate', 'signed-in'],
]
for (const [name, token, kept, want] of refusals)
  test(`sign in: a request is not authorized any more: ${name}: ${want}`, async () => {
    const by = kept === 'certificate' ? { kind: 'server' } : { kind: 'gateway', signedIn: true, ...facts }
    const { signIn, last } = page(
      { [`GET ${session}`]: [200, by], [review]: [201, who('ada')], 'GET /api': [401, {}] },
      { kept },
    )
    await signIn.start(signal)
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
    const answer = await signIn.noticing({ method: 'GET', target: '/api', headers, signal })
    assert.deepEqual([answer.status, last()?.state], [401, want])
  })
