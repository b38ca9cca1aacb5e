import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { Simulation } from '@strata/world/sim'
import { loadServiceAccountTokens, type ServiceAccountFlags } from './service-account-keys.ts'

const simulation = new Simulation('keys')
const [one, two] = [simulation.process('a'), simulation.process('b')]
let directory = ''
before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'strata-keys-'))
})
after(() => rm(directory, { recursive: true, force: true }))

test('keys of service accounts: servers that start together share one, and no other user can read it', async () => {
  const both = await Promise.all([one, two].map((world) => loadServiceAccountTokens({}, directory, world)))
  assert.equal(both[0]?.signingKey.keyId, both[1]?.signingKey.keyId)
  assert.equal(
    (await loadServiceAccountTokens({}, directory, one)).signingKey.keyId,
    both[0]?.signingKey.keyId,
  )
  assert.deepEqual(await readdir(directory), ['sa.key'])
  assert.equal((await stat(join(directory, 'sa.key'))).mode & 0o777, 0o600)
})

test('keys of service accounts: a given one signs, further ones are accepted', async () => {
  const files = await Promise.all(
    ['new', 'old'].map(async (name) => {
      const path = join(directory, name)
      const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      await writeFile(path, privateKey.export({ type: 'pkcs8', format: 'pem' }))
      return path
    }),
  )
  const [signing = '', old = ''] = files
  const flags: ServiceAccountFlags = {
    serviceAccountSigningKeyFile: signing,
    serviceAccountKeyFile: [signing, old],
    serviceAccountIssuer: ['https://now', 'https://before'],
    serviceAccountMaxTokenExpirationMs: 7_200_000,
  }
  const options = await loadServiceAccountTokens(flags, directory, one)
  assert.equal(options.verificationKeys.length, 2)
  assert.equal(options.verificationKeys[0]?.keyId, options.signingKey.keyId)
  assert.deepEqual(options.apiAudiences, ['https://now', 'https://before'])
  assert.equal(options.maxLifeSeconds, 7200)
  const named = await loadServiceAccountTokens({ ...flags, apiAudiences: ['api'] }, directory, one)
  assert.deepEqual(named.apiAudiences, ['api'])
})

const mistakes: ReadonlyArray<[flags: ServiceAccountFlags, message: RegExp]> = [
  [
    { serviceAccountSigningKeyFile: '/no/such' },
    /^--service-account-signing-key-file \/no\/such: there is no such file$/,
  ],
  [
    { serviceAccountKeyFile: ['/dev/null'] },
    /^--service-account-key-file \/dev\/null: holds no key in PEM form$/,
  ],
  [{ serviceAccountIssuer: ['https://'] }, /^--service-account-issuer https:\/\/: must be a URL/],
  [{ serviceAccountIssuer: [''] }, /^--service-account-issuer : must be a URL/],
  [
    { serviceAccountMaxTokenExpirationMs: 1000 },
    /^--service-account-max-token-expiration: must be between 1h/,
  ],
]
for (const [flags, message] of mistakes) {
  test(`keys of service accounts: ${JSON.stringify(flags)} is refused`, () =>
    assert.rejects(loadServiceAccountTokens(flags, directory, one), {
      name: 'ConfigurationProblem',
      message,
    }))
}
