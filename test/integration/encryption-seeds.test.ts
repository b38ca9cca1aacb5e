import assert from 'node:assert/strict'
import { test } from 'node:test'
import { persistedKeysOf } from '@strata/api'
import {
  agreementKind,
  decideAgreement,
  decideWriteKey,
  type ProtocolRules,
  protocolRules,
} from '@strata/server'
import { createMemoryStore } from '@strata/server/store'
import { chance, integer, pick, type Random } from '@strata/world'
import { EncryptedFleet, type EncryptedServer } from '../support/encrypted-fleet.ts'
import { isFullSize } from '../support/full-size.ts'
import { configMap, maps } from '../support/one-server.ts'

const never = new AbortController().signal
const prefix = '/registry/configmaps/default/'
const recordKey = '/registry/strata.dev/storageagreements/core.configmaps'
/** One of them has the name of another, and another secret. */
const allKeys = ['aesgcm:one', 'aesgcm:one:again', 'aescbc:two', 'secretbox:three', 'identity'] as const
const instances = ['a', 'b', 'c'] as const
const steps = 30

/** What somebody without a plan does to a fleet's keys, and what must hold all the same. */
class Meddler {
  readonly #fleet: EncryptedFleet
  readonly #random: Random
  readonly #rules: ProtocolRules
  readonly #servers = new Map<string, { readonly server: EncryptedServer; keys: readonly string[] }>()
  readonly #expected = new Map<string, string>()
  reloads = 0
  refused = 0

  constructor(seed: string, rules: ProtocolRules) {
    this.#fleet = new EncryptedFleet(seed)
    this.#random = this.#fleet.simulation.fork('meddler')
    this.#rules = rules
  }

  async run(): Promise<void> {
    const keys = this.#someKeys()
    for (const name of instances) await this.#start(name, keys)
    for (let step = 0; step < steps; step++) {
      await this.#act(step)
      await this.#check(`after step ${step}`)
    }
    for (const { server } of this.#servers.values()) await server.stop()
  }

  async #act(step: number): Promise<void> {
    const name = pick(this.#random, instances)
    const { server, keys } = this.#servers.get(name) ?? assert.fail()
    switch (integer(this.#random, 6)) {
      case 0:
        await server.stop()
        // Most operators start it as it was; some have changed the file meanwhile.
        return this.#start(name, chance(this.#random, 0.5) ? keys : this.#someKeys())
      case 1:
      case 2: {
        const next = this.#someKeys()
        this.reloads++
        if ((await server.reload(...next)) === undefined) this.#servers.set(name, { server, keys: next })
        else this.refused++
        return this.#fleet.sleep(1 + integer(this.#random, 1_500))
      }
      case 3: {
        const question = {
          apiVersion: 'strata.dev/v1alpha1',
          kind: 'StorageCensus',
          spec: { resource: 'configmaps' },
        }
        await server.ask('POST', '/apis/strata.dev/v1alpha1/storagecensuses', question)
        return
      }
      default:
        await this.#write(server, `x-${integer(this.#random, 6)}`, `value ${step}`)
    }
  }

  async #write(server: EncryptedServer, name: string, value: string): Promise<void> {
    const merge = { 'content-type': 'application/merge-patch+json' }
    const isThere = this.#expected.has(name)
    const body = isThere ? { data: { value } } : configMap(name, { value })
    const target = isThere ? `${maps}/${name}` : maps
    const { status } = await server.ask(isThere ? 'PATCH' : 'POST', target, body, isThere ? merge : {})
    if (status < 300) this.#expected.set(name, value)
  }

  async #start(name: (typeof instances)[number], keys: readonly string[]): Promise<void> {
    const server = await this.#fleet.create(name, keys, { rules: this.#rules, resources: ['configmaps'] })
    this.#servers.set(name, { server, keys })
    // One that refuses a resource does not become ready.
    await this.#fleet.sleep(3_000)
  }

  #someKeys(): string[] {
    const shuffled = allKeys
      .map((key) => ({ key, at: this.#random.fraction() }))
      .sort((x, y) => x.at - y.at)
      .map(({ key }) => key)
    return shuffled.slice(0, 1 + integer(this.#random, allKeys.length))
  }

  /** Whoever says that it is ready reads everything; and the record knows every key that something is under. */
  async #check(when: string): Promise<void> {
    for (const [name, { server }] of this.#servers) {
      if (!server.server.ready) continue
      const { status, body } = await server.ask('GET', maps)
      assert.equal(status, 200, `${name} cannot read ${when}: ${JSON.stringify(body)}`)
      const items: { metadata: { name: string }; data: { value: string } }[] = body.items
      const seen = new Map(items.map((each) => [each.metadata.name, each.data.value]))
      for (const [object, value] of this.#expected) {
        assert.equal(seen.get(object), value, `${name} has lost a write of ${object} ${when}`)
      }
    }
    const store = createMemoryStore(this.#fleet.data)
    const [entry] = (await store.read([recordKey], never)).entries
    const known = persistedKeysOf(entry && agreementKind.decode(entry).status).map((key) =>
      key.split(':').slice(0, 2).join(':'),
    )
    for (const { key } of (await store.list({ prefix }, never)).entries) {
      const seal = await this.#fleet.sealOf(key)
      assert.ok(known.includes(seal), `${key} is under ${seal}, and the record knows ${known.join()} ${when}`)
    }
  }
}

const seeds = isFullSize ? 60 : 4
for (let seed = 1; seed <= seeds; seed++) {
  test(`encryption by chance: whatever is done to the keys, who is ready reads everything (seed ${seed})`, async (t) => {
    const meddler = new Meddler(`keys ${seed}`, protocolRules)
    await meddler.run()
    t.diagnostic(`${meddler.reloads} reloads, ${meddler.refused} refused`)
  })
}

/** The seed is the first that notices; from there on, for what is called by chance may come to be called otherwise. */
const sabotages: ReadonlyArray<[name: string, seed: number, rules: Partial<ProtocolRules>]> = [
  [
    'a key is written with before the others read it',
    10,
    { decideWriteKey: (facts) => ({ ...decideWriteKey(facts), writeKey: facts.keys.preferred ?? 'none' }) },
  ],
  [
    'a server does not care for keys that it lacks',
    1,
    {
      decideWriteKey: (facts) => {
        const { keyProblem: _, ...decision } = decideWriteKey(facts)
        return decision
      },
    },
  ],
  [
    'the record forgets which keys were written with',
    1,
    {
      decideAgreement: (...asked) => {
        const { persistedKeys: _, ...status } = decideAgreement(...asked)
        return status
      },
    },
  ],
]
for (const [name, first, rules] of sabotages) {
  test(`encryption by chance: it is noticed if ${name}`, async (t) => {
    for (let seed = first; seed < first + 20; seed++) {
      const found = await new Meddler(`keys ${seed}`, { ...protocolRules, ...rules }).run().then(
        () => undefined,
        (error: unknown) => error,
      )
      if (found instanceof assert.AssertionError) {
        t.diagnostic(`seed ${seed}: ${found.message.slice(0, 100)}`)
        return
      }
      if (found !== undefined) throw found
    }
    assert.fail('nobody noticed')
  })
}
