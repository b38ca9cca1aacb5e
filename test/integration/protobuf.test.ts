import assert from 'node:assert/strict'
import { test } from 'node:test'
import { beaconPath } from '../support/fleet.ts'
import { configMap, maps, startServer } from '../support/one-server.ts'

// Every client written with client-go sends its objects in this form.
const protobuf = { 'content-type': 'application/vnd.kubernetes.protobuf' }

const text = (field: number, content: string | Uint8Array): Buffer => {
  const bytes = Buffer.from(content as string)
  assert.ok(bytes.length < 128)
  return Buffer.concat([Buffer.from([field * 8 + 2, bytes.length]), bytes])
}
const message = (...fields: Buffer[]): Buffer => Buffer.concat(fields)
const envelope = (apiVersion: string, kind: string, raw: Uint8Array): Uint8Array =>
  message(Buffer.from('k8s\0'), text(1, message(text(1, apiVersion), text(2, kind))), text(2, raw))

const named = (name: string): Buffer => text(1, message(text(1, name), text(2, ''), text(3, '')))
const mapOf = (name: string): Uint8Array =>
  envelope('v1', 'ConfigMap', message(named(name), text(2, message(text(1, 'k'), text(2, 'v')))))

test('protobuf: an object is created and replaced as if it had come in JSON', async () => {
  const { send } = await startServer('protobuf-write')
  const made = await send('POST', `${maps}?fieldValidation=Strict&fieldManager=m`, mapOf('a'), protobuf)
  const same = await send('POST', `${maps}?fieldValidation=Strict&fieldManager=m`, configMap('b'))
  assert.equal(made.status, 201)
  const { uid: _, name, resourceVersion, ...rest } = made.body.metadata
  const { uid: __, name: ___, resourceVersion: ____, ...others } = same.body.metadata
  assert.deepEqual([name, made.body.data, rest], ['a', { k: 'v' }, others])
  const changed = envelope(
    'v1',
    'ConfigMap',
    message(
      text(1, message(text(1, 'a'), text(6, resourceVersion))),
      text(3, message(text(1, 'b'), text(2, '\0'))),
    ),
  )
  const replaced = await send('PUT', `${maps}/a`, changed, protobuf)
  assert.equal(replaced.status, 200)
  assert.deepEqual(replaced.body.binaryData, { b: 'AA==' })
  assert.equal(replaced.body.data, undefined)
})

test('protobuf: leases are taken and renewed with microseconds', async () => {
  const { send } = await startServer('protobuf-lease')
  const time = Buffer.from([0x08, 0x80, 0xe2, 0xcf, 0xaa, 0x06, 0x10, 0x87, 0xad, 0x4b])
  const spec = message(text(1, 'me'), Buffer.from([0x10, 15]), text(3, time), text(4, time))
  const lease = envelope('coordination.k8s.io/v1', 'Lease', message(named('l'), text(2, spec)))
  const path = '/apis/coordination.k8s.io/v1/namespaces/default/leases'
  const { status, body } = await send('POST', path, lease, protobuf)
  assert.equal(status, 201)
  assert.deepEqual(body.spec, {
    holderIdentity: 'me',
    leaseDurationSeconds: 15,
    acquireTime: '2023-11-14T22:13:20.001234Z',
    renewTime: '2023-11-14T22:13:20.001234Z',
  })
})

test('protobuf: options of a deletion are honoured, also those of custom resources', async () => {
  const { send } = await startServer('protobuf-delete')
  await send('POST', maps, configMap('a'))
  const precondition = envelope('v1', 'DeleteOptions', text(2, text(1, 'another')))
  const refused = await send('DELETE', `${maps}/a`, precondition, protobuf)
  assert.equal(refused.status, 409)
  const dryRun = envelope('coordination.k8s.io/v1', 'DeleteOptions', text(5, 'All'))
  assert.equal((await send('DELETE', `${maps}/a`, dryRun, protobuf)).status, 200)
  assert.equal((await send('GET', `${maps}/a`)).status, 200)
  assert.equal((await send('DELETE', `${beaconPath('v1')}/none`, dryRun, protobuf)).status, 404)
})

const refused: ReadonlyArray<
  [name: string, target: string, body: Uint8Array, status: number, message: string]
> = [
  [
    'cut off',
    maps,
    mapOf('a').subarray(0, 20),
    400,
    'the object provided is unrecognized (must be of type ConfigMap): unexpected EOF (6b3873000a0f0a0276311209436f6e6669674d61)',
  ],
  ['without an envelope', maps, Buffer.from('{}'), 400, 'expected prefix [107 56 115 0] ({})'],
  ['empty', maps, new Uint8Array(), 400, '(must be of type ConfigMap): empty data (<empty>)'],
  [
    'broken inside',
    maps,
    envelope('v1', 'ConfigMap', Buffer.from([0x0a, 9, 1])),
    400,
    'ConfigMap in version "v1" cannot be handled as a ConfigMap: unexpected EOF',
  ],
  [
    'of another kind',
    maps,
    envelope('v1', 'Secret', named('a')),
    400,
    'Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion',
  ],
  [
    'of an unknown kind',
    maps,
    envelope('x.dev/v1', 'Thing', named('a')),
    400,
    'no kind "Thing" is registered for version "x.dev/v1"',
  ],
  [
    'a custom resource',
    beaconPath('v1'),
    envelope('lighthouse.example.dev/v1', 'Beacon', named('a')),
    415,
    'accepted media types include: application/json, application/yaml',
  ],
]
for (const [name, target, body, status, text] of refused) {
  test(`protobuf: a body that is ${name} is refused`, async () => {
    const { send } = await startServer('protobuf-refused')
    const answer = await send('POST', target, body, protobuf)
    assert.equal(answer.status, status)
    assert.ok(answer.body.message.includes(text), answer.body.message)
  })
}
