/**
 * Columns of tables that hold what users said, or ids: all that are no numbers. ANALYZE, which the server runs by
 * itself, copies values of a column to the server's own catalog, where no verb of ours erases them. So they
 * are not sampled; tables are read by keys, and need no statistics of texts. Names of namespaces are a
 * program's own, and the server has to know that one of them is that of every thread.
 *
 * @param s - the quoted name of the schema
 */
const texts = (s: string, tables: readonly string[]): string => `
  SELECT c.oid::regclass AS of, n.nspname, c.relname, a.attname, a.attstattarget, format_type(a.atttypid, a.atttypmod) ||
      coalesce((SELECT format(' COLLATE %I.%I', w.nspname, o.collname)
        FROM pg_collation o JOIN pg_namespace w ON w.oid = o.collnamespace WHERE o.oid = a.attcollation), '') AS type
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_attribute a ON a.attrelid = c.oid JOIN pg_type t ON t.oid = a.atttypid
    WHERE n.oid = '${s}'::regnamespace AND c.relname = ANY ('{${tables.join()}}') AND c.relkind = 'r'
      AND c.relname <> 'namespaces' AND a.attnum > 0 AND t.typcategory NOT IN ('N', 'B')`;

/** For tables that were just made. */
export const unsampled = (s: string, ...tables: readonly string[]): string => `
DO $skein$
DECLARE
  r record;
BEGIN
  FOR r IN ${texts(s, tables)} LOOP
    EXECUTE format('ALTER TABLE %s ALTER %I SET STATISTICS 0', r.of, r.attname);
  END LOOP;
END $skein$;
`;

/**
 * For a table that was sampled before: whoever gives a column its own type again removes what is known of its
 * values. Where something stands over a column, such as a view, that is refused; servers before 18 then have
 * no other way than to sample what is left.
 */
export const forgetSamples = (s: string, table: string): string => `
DO $skein$
DECLARE
  r record;
BEGIN
  FOR r IN SELECT * FROM (${texts(s, [table])}) x
    WHERE coalesce(x.attstattarget, -1) <> 0 OR EXISTS (SELECT FROM pg_stats p
      WHERE p.schemaname = x.nspname AND p.tablename = x.relname AND p.attname = x.attname)
  LOOP
    BEGIN
      EXECUTE format('ALTER TABLE %s ALTER %I TYPE %s', r.of, r.attname, r.type);
    EXCEPTION WHEN feature_not_supported THEN
      IF to_regprocedure('pg_clear_attribute_stats(text, text, text, boolean)') IS NULL THEN
        EXECUTE format('ANALYZE %s (%I)', r.of, r.attname);
      ELSE
        PERFORM pg_clear_attribute_stats(r.nspname, r.relname, r.attname, false);
      END IF;
    END;
    EXECUTE format('ALTER TABLE %s ALTER %I SET STATISTICS 0', r.of, r.attname);
  END LOOP;
END $skein$;
`;
