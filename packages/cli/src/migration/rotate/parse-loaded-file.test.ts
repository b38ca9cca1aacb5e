import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseLoadedFile } from './parse-loaded-file.ts'

const name = 'apiserver_encryption_config_controller_last_config_info'
const help = `# HELP ${name} [ALPHA] Information\n# TYPE ${name} gauge\n`
const reload = 'apiserver_encryption_config_controller_automatic_reload_last_timestamp_seconds'
const info = `${name}{apiserver_id_hash="a",hash="b"} 1\n`
const started = 'process_start_time_seconds 1.5e+03\n'
const rows: readonly [what: string, text: string, want: unknown][] = [
  [
    'as kube-apiserver writes it',
    `${help}${name}{apiserver_id_hash="sha256:aa",hash="sha256:bb"} 1\nother 2\n`,
    { server: 'sha256:aa', file: 'sha256:bb' },
  ],
  [
    'labels in another order',
    `${name}{hash="sha256:bb",apiserver_id_hash="sha256:aa"} 1`,
    { server: 'sha256:aa', file: 'sha256:bb' },
  ],
  ['a server without an identity', `${name}{apiserver_id_hash="",hash="sha256:bb"} 1`, undefined],
  ['since its start', `${info}${started}`, { server: 'a', file: 'b', sinceMs: 1_500_000 }],
  [
    'since the last reload',
    `${info}${started}${reload}{apiserver_id_hash="a",status="failure"} 9e+03\n${reload}{apiserver_id_hash="a",status="success"} 2000.25`,
    { server: 'a', file: 'b', sinceMs: 2_000_250 },
  ],
  [
    'no file',
    `${help}apiserver_encryption_config_controller_automatic_reloads_total{status="success"} 1`,
    undefined,
  ],
]
for (const [what, text, want] of rows)
  test(`loaded file in metrics: ${what}`, () => assert.deepEqual(parseLoadedFile(text), want))
