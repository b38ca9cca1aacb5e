import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { opensKey } from '@strata/api'
import { Simulation } from '@strata/world/sim'
import { GRPC, RpcError } from '../../store/index.ts'
import { KeyRing } from '../key-ring.ts'
import type { KmsClient } from './kms-client.ts'
import type { KmsStatus, Wrapped } from './kms-messages.ts'
import { KmsProvider } from './kms-provider.ts'

const never = new AbortController().signal
const path = '/registry/secrets/default/x'

/** A plugin that turns bytes around, under a key that tests choose. */
class Plugin implements KmsClient {
  answers = true
  keyID = 'key-1'
  healthz = 'ok'
  version = 'v2'
  encrypted = 0
  decrypted = 0
  knows: (keyID: string) => boolean = () => true

  status(): Promise<KmsStatus> {
    return this.#answer({ healthz: this.healthz, version: this.version, keyID: this.keyID })
  }
  encrypt(plaintext: Uint8Array): Promise<Wrapped> {
    this.encrypted++
    const annotations = { 'node.example.dev': Buffer.from([1]) }
    return this.#answer({ ciphertext: plaintext.toReversed(), keyID: this.keyID, annotations })
  }
  decrypt({ ciphertext, keyID }: Wrapped): Promise<Uint8Array> {
    this.decrypted++
    if (!this.knows(keyID)) return Promise.reject(new Error('no such key'))
    return this.#answer(ciphertext.toReversed())
  }
  close(): void {}
  #answer<T>(answer: T): Promise<T> {
    return this.answers ? Promise.resolve(answer) : Promise.reject(new Error('no plugin'))
  }
}

async function started(plugin: Plugin, seed = 'kms') {
  const simulation = new Simulation(seed)
  const provider = new KmsProvider('vault', plugin, simulation.process(seed))
  await provider.check(never)
  const sleep = (ms: number): Promise<void> =>
    simulation.settle(new Promise((resolve) => simulation.clock.after(ms, resolve)))
  return { simulation, provider, ring: new KeyRing([provider]), sleep }
}

const vectors = JSON.parse(readFileSync(new URL('../vectors.json', import.meta.url), 'utf8')) as {
  readonly path: string
  readonly plain: string
  readonly kms: readonly { keyID: string; dekSource: string; secret: string; stored: string }[]
}
/** As kube-apiserver wrote before 1.29. */
const given = vectors.kms.find(({ keyID }) => keyID === 'key-1') ?? assert.fail('there is no such vector')
for (const { keyID, dekSource, secret, stored } of vectors.kms) {
  test(`KMS: opens a value of upstream's form under ${keyID}, which shares no code with this, and asks with what stands there`, async () => {
    const plugin = new Plugin()
    let asked: Wrapped | undefined
    plugin.decrypt = (wrapped) => {
      asked = wrapped
      return Promise.resolve(Buffer.from(secret, 'base64'))
    }
    const { ring } = await started(plugin)
    const opened = await ring.open(Buffer.from(stored, 'base64'), vectors.path)
    assert.equal(Buffer.from(opened.value).toString(), vectors.plain)
    assert.equal(asked?.keyID, keyID)
    assert.equal(Buffer.from(asked?.ciphertext ?? []).toString('base64'), dekSource)
    await assert.rejects(async () => ring.open(Buffer.from(stored, 'base64'), path), /from another place/)
  })
}

test('KMS: one seed for all objects of a server, one question for each seed of another', async () => {
  const [mine, theirs] = [new Plugin(), new Plugin()]
  const a = await started(mine, 'a')
  const b = await started(theirs, 'b')
  const under = a.ring.preferred ?? ''
  const sealed = ['one', 'two', 'three'].map((text) => a.ring.seal(under, Buffer.from(text), path))
  assert.deepEqual([mine.encrypted, mine.decrypted], [1, 0])
  assert.equal(new Set(sealed.map((each) => Buffer.from(each).toString('hex'))).size, 3)
  const opened = await Promise.all(sealed.map((each) => b.ring.open(each, path)))
  assert.deepEqual(
    opened.map(({ value }) => Buffer.from(value).toString()),
    ['one', 'two', 'three'],
  )
  assert.deepEqual(
    opened.map((each) => each.under),
    [under, under, under],
  )
  assert.equal(theirs.decrypted, 1)
  const own = a.ring.open(sealed[0] ?? new Uint8Array(), path)
  assert.ok(!(own instanceof Promise), 'what a server has sealed it opens without asking')
})

test('KMS: another key_id is another key; the seed before stays until the new one may be written with', async () => {
  const plugin = new Plugin()
  const { provider, ring } = await started(plugin)
  const [first] = ring.writable
  const old = ring.seal(first ?? '', Buffer.from('x'), path)
  let changes = 0
  provider.onChange = () => changes++
  plugin.keyID = 'key-2'
  await provider.check(never)
  assert.equal(changes, 1)
  assert.equal(ring.writable.length, 2)
  assert.notEqual(ring.preferred, first)
  assert.equal((await ring.open(ring.seal(first ?? '', Buffer.from('y'), path), path)).under, first)
  assert.equal((await ring.open(old, path)).under, first)
  assert.equal(provider.readable.at(-1), 'kms:vault:*')
  assert.equal(provider.readable.length, 3)
})

const unwell: ReadonlyArray<[name: string, make: (plugin: Plugin) => void, problem: RegExp]> = [
  ['does not answer', (plugin) => (plugin.answers = false), /no plugin/],
  [
    'says that it is not well',
    (plugin) => (plugin.healthz = 'low on entropy'),
    /healthz is "low on entropy"/,
  ],
  ['speaks something else', (plugin) => (plugin.version = 'v1beta1'), /speaks v1beta1/],
  ['has a key without a name', (plugin) => (plugin.keyID = ''), /key_id is empty/],
  ['has a key with an endless name', (plugin) => (plugin.keyID = 'k'.repeat(1_025)), /1025 bytes/],
  [
    'encrypts with another key than it says',
    (plugin) =>
      (plugin.encrypt = () =>
        Promise.resolve({ ciphertext: Buffer.from('c'), keyID: 'other', annotations: {} })),
    /another key than its status names/,
  ],
  [
    'wants to keep what is no domain name',
    (plugin) =>
      (plugin.encrypt = () =>
        Promise.resolve({
          ciphertext: Buffer.from('c'),
          keyID: 'key-1',
          annotations: { X: Buffer.from('') },
        })),
    /no domain name/,
  ],
]
for (const [name, make, problem] of unwell) {
  test(`KMS: a plugin that ${name} is not well, and nothing is written with it`, async () => {
    const plugin = new Plugin()
    make(plugin)
    const { provider, ring } = await started(plugin)
    assert.match(provider.problem ?? 'well', problem)
    assert.equal(ring.preferred, undefined)
    assert.deepEqual(ring.writable, [])
  })
}

test('KMS: it is asked every minute while it is well, every ten seconds while it is not, and a seed lives three minutes', async () => {
  const plugin = new Plugin()
  const { simulation, provider, ring, sleep } = await started(plugin)
  const stopping = new AbortController()
  void provider.run(stopping.signal)
  await sleep(1_000)
  plugin.answers = false
  await sleep(30_000)
  assert.equal(provider.problem, undefined, 'it was not asked yet')
  await sleep(40_000)
  assert.match(provider.problem ?? '', /no plugin/)
  ring.seal(ring.preferred ?? '', Buffer.from('x'), path)
  await sleep(130_000)
  assert.throws(() => ring.seal(ring.preferred ?? '', Buffer.from('x'), path), /has not been healthy for/)
  plugin.answers = true
  await sleep(11_000)
  assert.equal(provider.problem, undefined)
  ring.seal(ring.preferred ?? '', Buffer.from('x'), path)
  assert.equal(plugin.encrypted, 1, 'the same key, the same seed')
  stopping.abort()
  await simulation.settle(Promise.resolve())
})

test('KMS: a key that cannot be unwrapped may be later, and is not asked for again at once', async () => {
  const [mine, theirs] = [new Plugin(), new Plugin()]
  const a = await started(mine, 'a')
  const b = await started(theirs, 'b')
  const sealed = a.ring.seal(a.ring.preferred ?? '', Buffer.from('x'), path)
  theirs.knows = () => false
  await assert.rejects(async () => b.ring.open(sealed, path), {
    isPassing: true,
    message: /did not decrypt the key: no such key/,
  })
  await assert.rejects(async () => b.ring.open(sealed, path), { isPassing: true })
  assert.equal(theirs.decrypted, 1)
  theirs.knows = () => true
  await b.sleep(2_000)
  assert.equal(Buffer.from((await b.ring.open(sealed, path)).value).toString(), 'x')
})

test('KMS: a refused seed does not block requests for another', async () => {
  const [old, mine, theirs] = [new Plugin(), new Plugin(), new Plugin()]
  old.keyID = 'destroyed'
  const a = await started(old, 'a')
  const b = await started(mine, 'b')
  const c = await started(theirs, 'c')
  const lost = a.ring.seal(a.ring.preferred ?? '', Buffer.from('x'), path)
  const sealed = b.ring.seal(b.ring.preferred ?? '', Buffer.from('y'), path)
  const decrypt = theirs.decrypt.bind(theirs)
  theirs.decrypt = (wrapped) => {
    const opened = decrypt(wrapped)
    if (wrapped.keyID !== 'destroyed') return opened
    return Promise.reject(new RpcError(GRPC.notFound, 'it is destroyed', true))
  }
  const refused = { isPassing: false, message: /did not decrypt the key: it is destroyed/ }
  await assert.rejects(async () => c.ring.open(lost, path), refused)
  assert.equal(Buffer.from((await c.ring.open(sealed, path)).value).toString(), 'y')
  await assert.rejects(async () => c.ring.open(lost, path), refused)
  assert.equal(theirs.decrypted, 2, 'it is not asked again at once, and the reason stays the same')
})

test('KMS: what it gives back for a seed and is none is not asked for again at once', async () => {
  const [mine, theirs] = [new Plugin(), new Plugin()]
  const a = await started(mine, 'a')
  const b = await started(theirs, 'b')
  const sealed = a.ring.seal(a.ring.preferred ?? '', Buffer.from('x'), path)
  let asked = 0
  theirs.decrypt = () => {
    asked++
    return Promise.resolve(Buffer.from('short'))
  }
  const refused = { isPassing: false, message: /returned 5 bytes/ }
  await assert.rejects(async () => b.ring.open(sealed, path), refused)
  await assert.rejects(async () => b.ring.open(sealed, path), refused)
  assert.equal(asked, 1)
})

test('KMS: an object with a key of its own is under another key than one whose key is derived, and a reader of one knows the other', async () => {
  const plugin = new Plugin()
  plugin.decrypt = () => Promise.resolve(Buffer.from(given.secret, 'base64'))
  plugin.keyID = given.keyID
  const { provider, ring } = await started(plugin)
  const opened = await ring.open(Buffer.from(given.stored, 'base64'), vectors.path)
  assert.equal(opened.under, `${ring.preferred}-given`)
  assert.ok(opensKey(provider.readable, opened.under))
  assert.deepEqual(
    provider.readable,
    [ring.preferred, 'kms:vault:*'],
    'other servers do not know it by its own name',
  )
})
