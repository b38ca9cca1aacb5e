import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { sha256 } from '../checksums.ts'
import { platforms } from '../platforms.ts'
import type { TarEntry } from '../tar.ts'
import { layOutImage } from './image-layout.ts'

const [amd64, arm64] = platforms
assert.ok(amd64 && arm64)
const images = [amd64, arm64].map((platform) => ({
  platform,
  layers: [
    [{ path: 'lib', link: 'usr/lib' }],
    [{ path: 'usr/bin/strata', content: Buffer.from(platform.arch), mode: 0o755 }],
  ],
}))

interface Descriptor {
  readonly digest: string
  readonly size: number
  readonly mediaType: string
}

describe('OCI image layout', () => {
  const files = new Map(layOutImage('0.1.0', images).map((entry: TarEntry) => [entry.path, entry.content]))
  const read = (path: string) => JSON.parse(Buffer.from(files.get(path) ?? []).toString())
  const follow = ({ digest, size }: Descriptor): Uint8Array => {
    const bytes = files.get(`blobs/${digest.replace(':', '/')}`) ?? new Uint8Array()
    assert.deepEqual([`sha256:${sha256(bytes)}`, bytes.length], [digest, size])
    return bytes
  }
  const followJson = (descriptor: Descriptor) => JSON.parse(Buffer.from(follow(descriptor)).toString())

  test('one name leads to one image per platform', () => {
    assert.deepEqual(read('oci-layout'), { imageLayoutVersion: '1.0.0' })
    const { manifests } = read('index.json')
    assert.deepEqual(
      manifests.map((each: { annotations: object }) => each.annotations),
      [{ 'org.opencontainers.image.ref.name': '0.1.0' }],
    )
    const found = followJson(manifests[0]).manifests.map((each: { platform: object }) => each.platform)
    assert.deepEqual(found, [
      { os: 'linux', architecture: 'amd64' },
      { os: 'linux', architecture: 'arm64' },
    ])
  })

  test('every digest and size is that of the blob, and diff ids are those of the unpacked layers', () => {
    for (const each of followJson(read('index.json').manifests[0]).manifests) {
      const manifest = followJson(each)
      const config = followJson(manifest.config)
      const unpacked = manifest.layers.map(
        (layer: Descriptor) => `sha256:${sha256(gunzipSync(follow(layer)))}`,
      )
      assert.deepEqual(config.rootfs, { type: 'layers', diff_ids: unpacked })
      assert.equal(config.architecture, each.platform.architecture)
    }
  })

  test('the program is the entry point, without a shell, and its user is a number other than 0', () => {
    const [first] = followJson(read('index.json').manifests[0]).manifests
    const { config } = followJson(followJson(first).config)
    assert.deepEqual(
      [config.Entrypoint, config.Cmd, config.User],
      [['/usr/bin/strata'], undefined, '65532:65532'],
    )
  })

  test('the same images give the same bytes', () => {
    assert.deepEqual(layOutImage('0.1.0', images), layOutImage('0.1.0', images))
  })
})
