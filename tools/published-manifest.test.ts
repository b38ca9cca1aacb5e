import assert from 'node:assert/strict'
import { test } from 'node:test'
import { publishedManifest } from './published-manifest.ts'

test('published manifest: exports lead to what was built, the rest stays', () => {
  const manifest = publishedManifest({
    name: '@strata/world',
    version: '0.1.0',
    exports: { '.': './src/index.ts', './node': './src/node/index.ts', './lie': './src/lie-for-test.ts' },
  })
  assert.deepEqual(manifest, {
    name: '@strata/world',
    version: '0.1.0',
    engines: { node: '>=26' },
    exports: {
      '.': { types: './dist/index.d.ts', default: './dist/index.js' },
      './node': { types: './dist/node/index.d.ts', default: './dist/node/index.js' },
    },
    files: ['dist', 'bin'],
  })
})
