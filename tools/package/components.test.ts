import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { componentsOf } from './components.ts'
import { readLockFile } from './lock-file.ts'
import { platforms } from './platforms.ts'
import { renderSbom } from './sbom.ts'

const lock = {
  'node_modules/yaml': { version: '2.0.0', license: 'ISC', integrity: 'sha512-q80=' },
  'node_modules/@noble/ciphers': { version: '1.0.0', license: 'MIT', integrity: 'sha512-EjQ=' },
  'node_modules/a/node_modules/yaml': { version: '1.0.0', license: 'ISC', integrity: 'sha512-Vng=' },
  'node_modules/unknown': { version: '1.0.0', integrity: 'sha512-Vng=' },
}

describe('components', () => {
  test('each package once, by the folder that its files are in; our own are none', () => {
    const found = componentsOf(
      [
        'packages/cli/src/main.ts',
        'node_modules/yaml/dist/index.js',
        'node_modules/yaml/dist/other.js',
        'node_modules/@noble/ciphers/aes.js',
        'node_modules/a/node_modules/yaml/index.js',
      ],
      lock,
    )
    assert.deepEqual(
      found.map(({ name, version }) => `${name} ${version}`),
      ['@noble/ciphers 1.0.0', 'yaml 1.0.0', 'yaml 2.0.0'],
    )
  })

  test('a package without a licence in the lock file is an error, not a gap', () => {
    assert.throws(
      () => componentsOf(['node_modules/unknown/index.js'], lock),
      /no version, licence or integrity of node_modules\/unknown/,
    )
  })

  test('the lock file pins the Node of every platform, in one release', () => {
    const packages = readLockFile()
    const found = platforms.map(({ nodePackage }) => packages[`node_modules/${nodePackage}`])
    assert.equal(new Set(found.map((each) => each?.version)).size, 1)
    for (const each of found) assert.match(each?.integrity ?? '', /^sha512-/)
  })
})

describe('SBOM', () => {
  const components = componentsOf(['node_modules/@noble/ciphers/aes.js'], lock)
  const debian = { name: 'libc6', version: '2.41-12+b1', architecture: 'amd64', sha256: 'ab' }

  test('names each component with its version, licence and digest', () => {
    const sbom = JSON.parse(renderSbom('0.1.0', components, [debian]))
    assert.equal(sbom.bomFormat, 'CycloneDX')
    assert.match(
      sbom.serialNumber,
      /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    )
    assert.deepEqual(sbom.components, [
      {
        type: 'library',
        'bom-ref': 'pkg:npm/%40noble/ciphers@1.0.0',
        name: '@noble/ciphers',
        version: '1.0.0',
        purl: 'pkg:npm/%40noble/ciphers@1.0.0',
        hashes: [{ alg: 'SHA-512', content: '1234' }],
        licenses: [{ expression: 'MIT' }],
      },
      {
        type: 'library',
        'bom-ref': 'pkg:deb/debian/libc6@2.41-12%2Bb1?arch=amd64',
        name: 'libc6',
        version: '2.41-12+b1',
        purl: 'pkg:deb/debian/libc6@2.41-12%2Bb1?arch=amd64',
        hashes: [{ alg: 'SHA-256', content: 'ab' }],
      },
    ])
  })

  test('the same parts give the same bytes, other parts another serial number', () => {
    assert.equal(renderSbom('0.1.0', components), renderSbom('0.1.0', components))
    const serial = (text: string): string => JSON.parse(text).serialNumber
    assert.notEqual(serial(renderSbom('0.1.0', components)), serial(renderSbom('0.1.0', [])))
  })
})
