import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultFeatureGates, serveDefaults } from '@strata/server/defaults'
import { Command } from 'commander'
import { addFlags, type FlagTable, flagArgs } from '../options/flag.ts'
import { apiHelp, serveFlags, sharedFlags } from './serve-flags.ts'
import { upFlags } from './up.ts'

const tables: readonly [name: string, table: FlagTable][] = [
  ['serve', serveFlags],
  ['up', upFlags],
]
for (const [name, table] of tables) {
  const help = addFlags(new Command(name), table).helpInformation().replace(/\s+/g, ' ')
  for (const [key, { option, initial }] of Object.entries(table)) {
    if (option.hidden) {
      test(`${name} --help hides ${option.long}`, () => {
        assert.equal(option.attributeName(), key)
        assert.ok(!help.includes(`${option.long}`), help)
      })
      continue
    }
    test(`${name} --help shows ${option.long} and its default`, () => {
      assert.equal(option.attributeName(), key)
      const shown = option.defaultValueDescription ?? JSON.stringify(initial)
      assert.ok(help.includes(`${option.flags} ${option.description}`), help)
      if (typeof initial === 'number' || typeof initial === 'string')
        assert.ok(help.includes(`default: ${shown})`), help)
    })
  }
}

test("the defaults of the flags are the server's", () => {
  const values = Object.values(serveFlags).map(({ initial }) => initial)
  const { serviceAccountIssuer, ...constants } = serveDefaults
  for (const each of Object.values(constants)) assert.ok(values.includes(each), String(each))
  assert.equal(serveFlags.serviceAccountIssuer.option.defaultValueDescription, serviceAccountIssuer)
  assert.equal(serveFlags.eventTtl.option.defaultValueDescription, '1h')
  assert.equal(serveFlags.etcdCompactionInterval.option.defaultValueDescription, '5m')
  assert.equal(serveFlags.shutdownDelayDuration.option.defaultValueDescription, '0')
})

test('serve has one hidden flag, for tests', () => {
  const hidden = Object.values(serveFlags).filter(({ option }) => option.hidden)
  assert.deepEqual(
    hidden.map(({ option }) => option.long),
    ['--trace-writers'],
  )
})

test('help names every feature gate and its default', () => {
  for (const [gate, isOn] of Object.entries(defaultFeatureGates))
    assert.ok(apiHelp('server').includes(`${gate} (default: ${isOn})`), gate)
})

const handed: readonly string[][] = [
  [],
  ['--release', 'x+1'],
  ['--expected-servers', '3'],
  ['--resources', '/a.ts', '--resources', '/b.ts'],
  ['--etcd-servers', 'http://a:1,http://b:2'],
  ['--encryption-provider-config', '/keys.yaml', '--encryption-provider-config-automatic-reload'],
  ['--storage-version-coordination', 'vote', '--storage-version-guarantee', 'loose'],
]
for (const args of handed) {
  test(`up hands ${args.join(' ') || 'no defaults'} to its servers`, () => {
    const command = addFlags(new Command('up'), sharedFlags).parse(args, { from: 'user' })
    assert.deepEqual(flagArgs(sharedFlags, command.opts()), args)
  })
}
