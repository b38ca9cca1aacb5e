import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { User } from '../authentication/index.ts'
import { ConfigurationProblem, errorCode } from '../configuration-problem.ts'

/** kube-apiserver's form: `token,user,uid,"group1,group2"` a line. */
export function parseTokenFile(text: string, path: string): Map<string, User> {
  const users = new Map<string, User>()
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue
    const fields = [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map(([, field = '']) =>
      field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field.trim(),
    )
    const [token = '', name = '', uid = '', groups = ''] = fields
    if (token === '' || name === '') {
      throw new ConfigurationProblem(
        `--token-auth-file ${path}, line ${index + 1}: expected token,user,uid[,"group1,group2"]`,
      )
    }
    users.set(digest(token), {
      name,
      ...(uid === '' ? {} : { uid }),
      groups: groups
        .split(',')
        .map((group) => group.trim())
        .filter((group) => group !== ''),
    })
  }
  return users
}

/** Tokens are kept and looked up by their digests, so that the time taken says nothing about them. */
export async function loadTokens(path: string): Promise<(token: string) => User | undefined> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new ConfigurationProblem(
      `--token-auth-file ${path}: ${errorCode(error) === 'ENOENT' ? 'there is no such file' : `cannot be read (${errorCode(error)})`}`,
    )
  })
  const users = parseTokenFile(text, path)
  return (token) => users.get(digest(token))
}

function digest(token: string): string {
  return hash('sha256', token)
}
