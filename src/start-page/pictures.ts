import { Buffer } from 'node:buffer'
import { eq, sql } from 'drizzle-orm'
import type { Query, Store } from '../../db/client.ts'
import { prepared } from '../../db/prepared.ts'
import { organization, organizationPictures } from '../../db/schema.ts'
import { invalid, Problem } from '../core/problem.ts'
import type { Service } from '../core/service.ts'
import type { Drawn } from '../icons/drawing.ts'
import { countRequest } from '../limits/rate-limits.ts'

/** The most bytes of a file that is sent as a picture. */
export const MAX_PICTURE = 256 * 1024

/**
 * Draws a sent picture anew, so that only what is seen of the file is kept.
 * @param userId who sends it: pictures are counted for each person.
 * @throws Problem BAD_REQUEST for a file that is none, or that may not be drawn; RATE_LIMITED.
 */
export async function drawn(
  { bucket, limits, pictures }: Pick<Service, 'bucket' | 'limits' | 'pictures'>,
  userId: string,
  file: Uint8Array,
): Promise<Pick<Drawn, 'id' | 'png'>> {
  if (file.byteLength > MAX_PICTURE) throw refused('picture_too_large')
  await countRequest(bucket, limits.reading, userId, 'with a picture')
  const picture = await pictures.draw(Buffer.from(file), userId)
  if (picture === 'no turn' || picture === 'not drawn') {
    throw new Problem('RATE_LIMITED', 'The picture can’t be drawn now. Try again in a minute.', {
      retryAfterSeconds: 60,
    })
  }
  if (picture === null || picture === 'costly') throw refused('no_picture')
  return picture
}

function refused(code: 'no_picture' | 'picture_too_large'): Problem {
  return invalid([{ path: ['picture'], reason: { code } }])
}

/** The writes that keep the picture which an organisation has now, after its row names it: the former one goes. */
export function keeping(organizationId: string, picture: Pick<Drawn, 'id' | 'png'> | null): Query[] {
  const named = sql`${organization} WHERE ${organization.id} = ${organizationId} AND ${organization.pictureId}`
  const former = sql`DELETE FROM ${organizationPictures} WHERE ${organizationPictures.organizationId} = ${organizationId}`
  if (picture === null) return [sql`${former} AND EXISTS (SELECT 1 FROM ${named} IS NULL)`]
  const { id, png } = picture
  return [
    sql`${former} AND EXISTS (SELECT 1 FROM ${named} = ${id})`,
    sql`INSERT INTO ${organizationPictures} (organization_id, id, png) SELECT ${organization.id}, ${id}, ${png} FROM ${named} = ${id}`,
  ]
}

/** The bytes of an organisation’s picture, as PNG; null if none has this id. */
export async function picturePng({ db }: Pick<Store, 'db'>, id: string): Promise<Buffer | null> {
  const [row] = await byId(db).execute({ id })
  return row?.png ?? null
}

const byId = prepared((db) =>
  db
    .select({ png: organizationPictures.png })
    .from(organizationPictures)
    .where(eq(organizationPictures.id, sql.placeholder('id')))
    .limit(1)
    .prepare(),
)
