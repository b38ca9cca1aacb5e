#!/usr/bin/env node
// The strata command. Plain JavaScript, so that an older Node gets as far as finding the right one.
import { existsSync } from 'node:fs'
import module from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { isRunByNpm, watchNpm } from './npm-parent.mjs'
import { findPinnedNode, isNewEnough, missingNode, tooOldNode } from './pinned-node.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const alone = new AbortController()
// `testenv` ends with its parent; on an older Node the process that runs it has this one for a parent.
if (isRunByNpm(process.env) || process.argv[2] === 'testenv') watchNpm(() => alone.abort())

// A clone has the sources; the published package has only what was built from them.
const source = join(here, '..', 'src', 'main.ts')

if (isNewEnough(process.versions.node)) {
  // Half of a start is reading and compiling; the second start finds it done.
  module.enableCompileCache?.()
  // As if an older Node before us had been killed: the program ends kindly (main.ts).
  alone.signal.addEventListener('abort', () => process.emit('disconnect'))
  const main = existsSync(source) ? source : join(here, '..', 'dist', 'main.js')
  await import(pathToFileURL(main).href)
} else {
  const node = findPinnedNode(here)
  if (node === undefined) {
    process.stderr.write(`strata: ${existsSync(source) ? missingNode() : tooOldNode()}\n`)
    process.exitCode = 1
  } else {
    const { runProgram } = await import('./run-program.mjs')
    const args = [fileURLToPath(import.meta.url), ...process.argv.slice(2)]
    process.exitCode = await runProgram(node, args, { alone: alone.signal })
  }
}
