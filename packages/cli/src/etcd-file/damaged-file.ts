/** The file is no database of etcd, is cut off, or contradicts itself. The message names the place in the file. */
export class DamagedFile extends Error {
  override readonly name = 'DamagedFile'
}

export function damagedAt(offset: number, what: string, page?: number): DamagedFile {
  const where = page === undefined ? `at byte ${offset}` : `page ${page}, at byte ${offset}`
  return new DamagedFile(`the file is damaged: ${where}: ${what}`)
}
