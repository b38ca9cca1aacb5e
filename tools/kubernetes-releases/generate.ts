import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../repository.ts'
import { compact, compareWithHashes } from './compact-releases.ts'
import { readRelease } from './read-release.ts'
import { decideFacts } from './release-facts.ts'
import { chooseTags, listTags, openRelease } from './release-source.ts'

const usage = `node tools/kubernetes-releases/generate.ts CLONE [FIRST LAST]

Writes packages/api/src/kubernetes-releases/kubernetes-releases.json from the tags of a clone of github.com/kubernetes/kubernetes:
the newest patch release of each minor one. Only names and versions are taken.`

const [clone, first = '19', last = '37'] = process.argv.slice(2)
if (clone === undefined || clone.startsWith('-')) {
  process.stderr.write(`${usage}\n`)
  process.exit(2)
}

const releases = [...chooseTags(listTags(clone), Number(first), Number(last))].map(([minor, tag]) => {
  const files = readRelease(openRelease(clone, tag), minor)
  const resources = decideFacts(files)
  const differences = compareWithHashes(files, resources)
  for (const each of differences) process.stderr.write(`${each}\n`)
  process.stderr.write(`${tag}: ${resources.length} resources, ${files.hashes.size} hashes compared\n`)
  return { minor, tag, resources }
})
const path = join(root, 'packages/api/src/kubernetes-releases/kubernetes-releases.json')
writeFileSync(path, `${JSON.stringify(compact(releases), undefined, 2)}\n`)
