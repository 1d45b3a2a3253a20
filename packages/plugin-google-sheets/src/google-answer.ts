import { z } from 'zod';

/**
 * The call was answered, and not by the API: with a page, with nothing, with a part of an answer. A proxy does that, or a front end
 * of Google that is overloaded. Whether the work was done is unclear.
 */
export class NotGooglesAnswerError extends Error {
  override readonly name = 'NotGooglesAnswerError';
}

/** An answer about a file, a permission: everything else in it was not asked for. */
export const Identified = z.object({ id: z.string().min(1) });

export const FileAnswer = Identified.extend({ webViewLink: z.string().nullish() });

/** The kind is what an empty page of a list is recognised by. */
export const FileListAnswer = z.object({
  kind: z.literal('drive#fileList'),
  files: z.array(FileAnswer).default([]),
  nextPageToken: z.string().optional(),
});

/** An answer of the Sheets API: it names the spreadsheet. */
export const SpreadsheetAnswer = z.object({ spreadsheetId: z.string().min(1) });

export const MetadataAnswer = SpreadsheetAnswer.extend({
  developerMetadata: z.array(z.object({ metadataKey: z.string() })).default([]),
});

const ValueRange = z.object({ range: z.string(), values: z.array(z.array(z.unknown())).default([]) });

/** A range without anything in it has no values, and a sheet that is gone has no range. */
export const ValuesAnswer = SpreadsheetAnswer.extend({
  valueRanges: z.array(z.object({ valueRange: ValueRange })).default([]),
});

/** Google leaves out a count of 0. */
export const ReplacedAnswer = SpreadsheetAnswer.extend({
  replies: z.tuple([z.object({ findReplace: z.object({ valuesChanged: z.number().default(0) }) })]),
});

/** A service account's access. */
export const TokenAnswer = z.object({ access_token: z.string().min(1) });

/**
 * What was answered, when it has the shape of Google's answer.
 * @throws NotGooglesAnswerError without what was answered
 */
export function googlesAnswer<Answer>(shape: z.ZodType<Answer>, data: unknown): Answer {
  const { success, data: answer } = shape.safeParse(data);
  if (!success) throw new NotGooglesAnswerError("the answer is not one of Google's API");
  return answer;
}
