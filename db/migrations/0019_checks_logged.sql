-- Whether links are checked is kept with the owner. An admin’s choice is one for all members, so it is in their log.
CREATE TRIGGER organization_checks_are_switched AFTER UPDATE OF check_links ON owners
	WHEN new.organization_id IS NOT NULL AND new.check_links <> old.check_links
BEGIN
	INSERT INTO happened (organization_id, type, target, changes) VALUES (new.organization_id, 'organization.updated', new.organization_id,
		json_array(json_object('field', 'checkLinks', 'from', json(iif(old.check_links, 'true', 'false')), 'to', json(iif(new.check_links, 'true', 'false')))));
END;
