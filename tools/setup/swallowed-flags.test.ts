import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeSwallowed } from './swallowed-flags.mjs'

const flags = ['servers', 'data-dir', 'no-dashboard']
const cases: readonly [args: string[], environment: Record<string, string>, want: string | undefined][] = [
  [['--servers', '5'], { npm_config_cache: '/c' }, undefined],
  [
    ['5'],
    { npm_config_servers: 'true' },
    'npm took --servers for itself, because "--" is missing: npm start -- --servers 5',
  ],
  [
    [],
    { npm_config_servers: '5', npm_config_dashboard: '' },
    'npm took --servers, --no-dashboard for itself, because "--" is missing: npm start -- --servers 5 --no-dashboard',
  ],
  [
    ['x'],
    { npm_config_data_dir: 'true' },
    'npm took --data-dir for itself, because "--" is missing: npm start -- --data-dir x',
  ],
]
for (const [args, environment, want] of cases)
  test(`flags that npm takes: ${want ?? 'none'}`, () =>
    assert.equal(describeSwallowed('start', flags, args, environment), want))
