import assert from 'node:assert/strict'
import { createHmac, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto'
import { test } from 'node:test'
import { readSigningKey, type StrataServer } from '@strata/server'
import { createFaultyStore, createMemoryStore, MemoryData, noFaults } from '@strata/server/store'
import { Simulation } from '@strata/world/sim'
import { adminToken, call, createFleetServer } from '../support/fleet.ts'
import { startServer } from '../support/one-server.ts'

const accounts = '/api/v1/namespaces/default/serviceaccounts'
const secrets = '/api/v1/namespaces/default/secrets'
const audience = 'https://kubernetes.default.svc'
const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const read = (token: string, index: 0 | 1) =>
  JSON.parse(Buffer.from(token.split('.')[index] ?? '', 'base64url').toString())

/** A server with a service account; `as` asks for something that everybody who is known may be refused politely. */
async function start(seed: string) {
  const { send, simulation, server } = await startServer(seed)
  const account = (await send('POST', accounts, { metadata: { name: 'bot' } })).body
  const request = (spec: object = {}, name = 'bot') =>
    send('POST', `${accounts}/${name}/token`, {
      kind: 'TokenRequest',
      apiVersion: 'authentication.k8s.io/v1',
      spec,
    })
  const tokenOf = async (spec?: object): Promise<string> => (await request(spec)).body.status.token
  const as = (authorization: string | string[]) => send('GET', secrets, undefined, { authorization })
  return { send, simulation, server, account, request, tokenOf, as }
}

test('tokens: a request is answered with what upstream answers, and managers of fields', async () => {
  const { account, request } = await start('request')
  const { status, body } = await request({ expirationSeconds: 3600 })
  assert.equal(status, 201)
  const { token, expirationTimestamp } = body.status
  assert.deepEqual(Object.keys(body), ['kind', 'apiVersion', 'metadata', 'spec', 'status'])
  assert.deepEqual(body.spec, { audiences: [audience], expirationSeconds: 3600, boundObjectRef: null })
  assert.equal(body.metadata.uid, account.metadata.uid)
  assert.deepEqual(body.metadata.managedFields[0].fieldsV1, { 'f:spec': { 'f:expirationSeconds': {} } })
  assert.equal(body.metadata.managedFields[0].subresource, 'token')
  const { jti, iat, ...claims } = read(token, 1)
  assert.deepEqual(claims, {
    aud: [audience],
    exp: iat + 3600,
    iss: audience,
    'kubernetes.io': { namespace: 'default', serviceaccount: { name: 'bot', uid: account.metadata.uid } },
    nbf: iat,
    sub: 'system:serviceaccount:default:bot',
  })
  assert.match(jti, /^[0-9a-f-]{36}$/)
  assert.equal(new Date((iat + 3600) * 1000).toISOString().slice(0, 19), expirationTimestamp.slice(0, 19))
})

test('tokens: the bearer is the service account, and may do what it may do', async () => {
  const { as, tokenOf } = await start('user')
  const { status, body } = await as(`Bearer ${await tokenOf()}`)
  assert.equal(status, 403)
  assert.equal(
    body.message,
    'secrets is forbidden: User "system:serviceaccount:default:bot" cannot list resource "secrets" in API group "" in the namespace "default"',
  )
})

test('tokens: everybody can check them with the keys that the server tells', async () => {
  const { send, tokenOf } = await start('keys')
  const configuration = await send('GET', '/.well-known/openid-configuration')
  assert.deepEqual(configuration.body, {
    issuer: audience,
    jwks_uri: `${audience}/openid/v1/jwks`,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
  })
  assert.equal(configuration.headers['content-type'], 'application/json')
  const { body, headers } = await send('GET', '/openid/v1/jwks')
  assert.equal(headers['content-type'], 'application/jwk-set+json')
  assert.equal(headers['cache-control'], 'public, max-age=3600')
  assert.equal('d' in body.keys[0], false)
  const token = await tokenOf()
  const [head, claims, signature = ''] = token.split('.')
  assert.deepEqual(read(token, 0), { alg: 'ES256', kid: body.keys[0].kid })
  const key = createPublicKey({ key: body.keys[0], format: 'jwk' })
  const signed = Buffer.from(`${head}.${claims}`)
  assert.ok(verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url')))
  for (const closed of ['/.well-known/openid-configuration', '/openid/v1/jwks']) {
    assert.equal((await send('GET', closed, undefined, { authorization: '' })).status, 403)
  }
})

const tooShort = 'Invalid value: 599: may not specify a duration less than 10 minutes'
const tooLong = 'Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds'
const refusals: ReadonlyArray<[name: string, spec: object, status: number, message: string]> = [
  [
    'too short',
    { expirationSeconds: 599 },
    422,
    `TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: ${tooShort}`,
  ],
  [
    'too long',
    { expirationSeconds: 2 ** 32 + 1 },
    422,
    `TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: ${tooLong}`,
  ],
  [
    'bound to a secret that is not there',
    { boundObjectRef: { apiVersion: 'v1', kind: 'Secret', name: 'no' } },
    404,
    'secrets "no" not found',
  ],
  [
    'bound to what cannot be bound to',
    { boundObjectRef: { apiVersion: 'v1', kind: 'ConfigMap', name: 'x' } },
    400,
    'cannot bind token to object of type /v1, Kind=ConfigMap',
  ],
  [
    'bound to a secret by another uid',
    { boundObjectRef: { apiVersion: 'v1', kind: 'Secret', name: 's', uid: 'another' } },
    409,
    'Operation cannot be fulfilled on Secret "s": the UID in the bound object reference (another) does not match the UID in record. The object might have been deleted and then recreated',
  ],
]
test('tokens: what cannot be asked for', async () => {
  const { send, request } = await start('refused')
  await send('POST', secrets, { metadata: { name: 's' } })
  for (const [name, spec, status, message] of refusals) {
    const answer = await request(spec)
    assert.deepEqual([answer.status, answer.body.message], [status, message], name)
  }
  const missing = await request({}, 'missing')
  assert.deepEqual([missing.status, missing.body.message], [404, 'serviceaccounts "missing" not found'])
  for (const method of ['GET', 'PUT', 'DELETE']) {
    assert.equal((await send(method, `${accounts}/bot/token`)).status, 405, method)
  }
  assert.equal((await send('POST', '/api/v1/namespaces/default/configmaps/x/token', {})).status, 404)
})

test('tokens: one for others is none for this API', async () => {
  const { as, tokenOf } = await start('audience')
  assert.equal((await as(`Bearer ${await tokenOf({ audiences: ['vault'] })}`)).status, 401)
  assert.equal((await as(`Bearer ${await tokenOf({ audiences: ['vault', audience] })}`)).status, 403)
})

test('tokens: end with their time', async () => {
  const { as, tokenOf, simulation } = await start('time')
  const bearer = `Bearer ${await tokenOf({ expirationSeconds: 600 })}`
  assert.equal((await as(bearer)).status, 403)
  await simulation.run({ untilMs: simulation.nowMs + 600_000 + 62_000 })
  assert.equal((await as(bearer)).status, 401)
})

test('tokens: end with their account, and another one of the same name does not bring them back', async () => {
  const { as, send, tokenOf } = await start('deleted')
  const bearer = `Bearer ${await tokenOf()}`
  assert.equal((await as(bearer)).status, 403)
  await send('PATCH', `${accounts}/bot`, { metadata: { labels: { a: 'b' } } }, merge)
  assert.equal((await as(bearer)).status, 403)
  await send('DELETE', `${accounts}/bot`)
  assert.equal((await as(bearer)).status, 401)
  await send('POST', accounts, { metadata: { name: 'bot' } })
  assert.equal((await as(bearer)).status, 401)
})
const merge = { 'content-type': 'application/merge-patch+json' }

test('tokens: end with the secret that they are bound to', async () => {
  const { as, send, tokenOf } = await start('bound')
  await send('POST', secrets, { metadata: { name: 's' } })
  const boundObjectRef = { apiVersion: 'v1', kind: 'Secret', name: 's' }
  const bearer = `Bearer ${await tokenOf({ boundObjectRef })}`
  assert.equal((await as(bearer)).status, 403)
  await send('DELETE', `${secrets}/s`)
  assert.equal((await as(bearer)).status, 401)
  await send('POST', secrets, { metadata: { name: 's' } })
  assert.equal((await as(bearer)).status, 401)
})

test('tokens: what is forged is refused, in one and the same words', async () => {
  const { as, send, tokenOf } = await start('forged')
  const token = await tokenOf()
  const [head = '', body = '', signature = ''] = token.split('.')
  const claims = read(token, 1)
  const { kid } = read(token, 0)
  const jwk = (await send('GET', '/openid/v1/jwks')).body.keys[0]
  const publicPem = createPublicKey({ key: jwk, format: 'jwk' }).export({ type: 'spki', format: 'pem' })
  const hmac = (secret: string | Buffer, header: object): string => {
    const signed = `${part(header)}.${body}`
    return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
  }
  const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  const strangers = (changed: object, header: object = { alg: 'ES256', kid }): string => {
    const signed = `${part(header)}.${part({ ...claims, ...changed })}`
    const bytes = sign('sha256', Buffer.from(signed), { key: stranger, dsaEncoding: 'ieee-p1363' })
    return `${signed}.${bytes.toString('base64url')}`
  }
  const forgeries: Readonly<Record<string, string | string[]>> = {
    'no such token': 'Bearer abc',
    'alg none': `Bearer ${part({ alg: 'none' })}.${body}.`,
    'alg none, with the signature': `Bearer ${part({ alg: 'none', kid })}.${body}.${signature}`,
    'the public key as a secret': `Bearer ${hmac(String(publicPem), { alg: 'HS256', kid })}`,
    'the key of the set as a secret': `Bearer ${hmac(JSON.stringify(jwk), { alg: 'HS256', kid })}`,
    'an empty secret': `Bearer ${hmac('', { alg: 'HS256' })}`,
    'another algorithm': `Bearer ${part({ alg: 'RS256', kid })}.${body}.${signature}`,
    'a key of one’s own': `Bearer ${strangers({})}`,
    'a key that comes along': `Bearer ${strangers({}, { alg: 'ES256', jwk: stranger.export({ format: 'jwk' }) })}`,
    'a key from elsewhere': `Bearer ${strangers({}, { alg: 'ES256', jku: 'https://evil.example/jwks' })}`,
    'another issuer': `Bearer ${strangers({ iss: 'https://evil.example' })}`,
    'another subject': `Bearer ${head}.${part({ ...claims, sub: 'system:admin' })}.${signature}`,
    'a longer life': `Bearer ${head}.${part({ ...claims, exp: claims.exp + 9999 })}.${signature}`,
    'no signature': `Bearer ${head}.${body}.`,
    'a piece missing': `Bearer ${head}.${body}`,
    'a piece too many': `Bearer ${token}.${signature}`,
    'two tokens in one header': `Bearer ${token} ${token}`,
    'two headers, joined': `Bearer ${token}, Bearer ${token}`,
    'two headers': [`Bearer ${token}`, 'Bearer abc'],
    'something behind it': `Bearer ${token}\u00a0`,
  }
  for (const [name, authorization] of Object.entries(forgeries)) {
    const answer = await as(authorization)
    assert.deepEqual(
      [name, answer.status, answer.body],
      [
        name,
        401,
        {
          kind: 'Status',
          apiVersion: 'v1',
          metadata: {},
          status: 'Failure',
          message: 'Unauthorized',
          reason: 'Unauthorized',
          code: 401,
        },
      ],
    )
  }
  for (const anonymous of ['Bearer', `Bearer  ${token}`, `Token ${token}`, 'Basic YTpi', token]) {
    const { status, body: refusal } = await as(anonymous)
    assert.equal(status, 403, anonymous)
    assert.match(refusal.message, /User "system:anonymous" cannot list/)
  }
  assert.equal((await as(`Bearer ${token}`)).status, 403)
})

test('tokens: a review returns the user and the audiences, or the error', async () => {
  const { account, send, tokenOf } = await start('review')
  const review = async (spec: object) =>
    (await send('POST', '/apis/authentication.k8s.io/v1/tokenreviews', { spec })).body.status
  const token = await tokenOf()
  const user = {
    username: 'system:serviceaccount:default:bot',
    uid: account.metadata.uid,
    groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
    extra: { 'authentication.kubernetes.io/credential-id': [`JTI=${read(token, 1).jti}`] },
  }
  assert.deepEqual(await review({ token }), { authenticated: true, user, audiences: [audience] })
  assert.deepEqual(await review({ token, audiences: ['vault'] }), {
    user: {},
    error: `[invalid bearer token, token audiences ["${audience}"] is invalid for the target audiences ["vault"]]`,
  })
  const others = await tokenOf({ audiences: ['vault', 'store'] })
  assert.deepEqual((await review({ token: others, audiences: ['x', 'vault'] })).audiences, ['vault'])
  assert.equal((await review({ token: others })).authenticated, undefined)
  assert.deepEqual(await review({ token: 'abc' }), { user: {}, error: 'invalid bearer token' })
  // A token of the file has the audience of this API alone.
  assert.deepEqual((await review({ token: adminToken })).audiences, [audience])
  assert.equal((await review({ token: adminToken, audiences: ['vault'] })).authenticated, undefined)
  await send('DELETE', `${accounts}/bot`)
  assert.deepEqual(await review({ token }), {
    user: {},
    error: '[invalid bearer token, serviceaccounts "bot" not found]',
  })
})

/** The same key for all servers, as their directory of credentials gives it to them. */
function sharedKey() {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const signingKey = readSigningKey(String(privateKey.export({ type: 'pkcs8', format: 'pem' })))
  return {
    issuers: [audience],
    apiAudiences: [audience],
    signingKey,
    verificationKeys: [signingKey],
  } as const
}

test('tokens: one server’s word is every server’s, at once; deletions are seen everywhere', async () => {
  const simulation = new Simulation('two servers')
  const data = new MemoryData()
  const serviceAccountTokens = sharedKey()
  const lateMs = 50
  const start = async (name: string, delayMs: number): Promise<StrataServer> => {
    const world = simulation.process(name)
    const store = createFaultyStore(createMemoryStore(data), {
      network: simulation.clock,
      local: world.clock,
      random: simulation.fork(name),
      faults: { ...noFaults, delayMs: { from: delayMs, to: delayMs } },
    })
    const server = createFleetServer({ world, store, instance: name, serviceAccountTokens })
    await simulation.settle(server.start(new AbortController().signal))
    return server
  }
  const a = await start('a', 0)
  // The watch of this server is late.
  const b = await start('b', lateMs)
  const ask = (server: StrataServer, ...rest: [string, string, unknown?, Record<string, string>?]) =>
    simulation.settle(call(server.handle, ...rest))
  for (let turn = 0; turn < 5; turn++) {
    await ask(a, 'POST', accounts, { metadata: { name: 'bot' } })
    const { token } = (await ask(a, 'POST', `${accounts}/bot/token`, { spec: {} })).body.status
    const bearer = { authorization: `Bearer ${token}` }
    assert.equal((await ask(b, 'GET', secrets, undefined, bearer)).status, 403)
    await ask(a, 'DELETE', `${accounts}/bot`)
    await simulation.run({ untilMs: simulation.nowMs + 2 * lateMs })
    assert.equal((await ask(b, 'GET', secrets, undefined, bearer)).status, 401)
  }
})
